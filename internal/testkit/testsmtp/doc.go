// Package testsmtp starts mail servers for tests.
//
//	s := testsmtp.Start(t)          // Exim: STARTTLS, login, local mailboxes
//	// s.Addr(), s.User, s.Password, s.Roots
//	mail := s.Receive(t)
//
// [Start] needs the program of the package exim4-daemon-light. Without it tests
// are skipped with the reason, except with CI=true, where that fails.
// [StartFaulty] is a server in this process that fails in chosen places.
package testsmtp
