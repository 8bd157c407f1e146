"""The outside tracker."""
