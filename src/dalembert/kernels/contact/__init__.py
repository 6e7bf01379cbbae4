"""Contacts: gaps, impacts, forces and the steps that find them; only models with contacts load what is here."""
