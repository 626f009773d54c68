package shell

import "golang.org/x/sys/windows"

// colourTerminal makes a console understand colours, and reports whether it does.
func colourTerminal(stream any) bool {
	f, ok := FileOf(stream)
	if !ok {
		return false
	}
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	const escapes = windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&escapes != 0 || windows.SetConsoleMode(console, mode|escapes) == nil
}
