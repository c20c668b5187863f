"""Helpers that several test modules share: random cones, slow twins, frozen inputs."""
