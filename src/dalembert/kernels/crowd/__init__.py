"""Many bodies that touch: pairs found anew in every step, and impulses that keep them apart."""
