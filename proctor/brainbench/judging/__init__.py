"""From a transcript to what a judge is shown, and from the replies of a judge to a verdict."""
