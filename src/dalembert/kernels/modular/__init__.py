"""The modular formulation: joints and bodies as numerical components."""
