package atomicfile

// syncDir does nothing: Windows has no way to sync a folder, and the rename
// is written through by the file system's journal.
func syncDir(string) error { return nil }
