"""Time integration."""
