"""How transcripts come about: the tool bridge, the recorder, and transcripts of trials."""
