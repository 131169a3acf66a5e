"""What runs behind the walls: the zygote and its children. No third-party import, little else."""
