## Remarks and progress of the commands.
