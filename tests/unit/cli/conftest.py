"""Folders and studies of a laboratory."""

from shared.laboratory import begun, empty, folder, template, trial

__all__ = ["begun", "empty", "folder", "template", "trial"]
