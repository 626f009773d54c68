package atomicfile

// SyncDir does nothing: Windows has no way to sync a folder, and the rename
// is written through by the file system's journal.
func SyncDir(string) error { return nil }
