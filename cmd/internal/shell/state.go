package shell

import "path/filepath"

// StateFile is the path of something that the program keeps between its runs and
// that is not a setting, in the state folder of the user; "" where there is no home
// folder.
func (sh *Shell) StateFile(name ...string) string {
	base := sh.Getenv("XDG_STATE_HOME")
	if base == "" {
		home := sh.Getenv("HOME")
		if home == "" {
			home = sh.Getenv("USERPROFILE")
		}
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(append([]string{base, "erphub"}, name...)...)
}
