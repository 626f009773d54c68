package app

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// asks tells whether there is a person to ask.
func (a *app) asks() bool { return terminal(a.streams.In) }

// readLine reads a line, or gives up when ctx ends. What is typed then is lost.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	return untilDone(ctx, func() (string, error) {
		line, err := in.ReadString('\n')
		if line != "" {
			err = nil
		}
		return line, err
	})
}

// ask asks for a line until it is one that check takes, three times at most.
// An empty line is usual, unless that is empty, too.
func (a *app) ask(ctx context.Context, in *bufio.Reader, label, usual string, check func(string) error) (string, error) {
	prompt := label + ": "
	if usual != "" {
		prompt = fmt.Sprintf("%s [%s]: ", label, usual)
	}
	for range 3 {
		fmt.Fprint(a.streams.Err, printable(prompt))
		line, err := readLine(ctx, in)
		if err != nil {
			fmt.Fprintln(a.streams.Err)
			return "", fmt.Errorf("asking for the %s: %w", strings.ToLower(label), err)
		}
		if line = strings.TrimSpace(line); line == "" {
			line = usual
		}
		if err = check(line); err == nil {
			return line, nil
		}
		fmt.Fprintf(a.streams.Err, "  %s\n", printable(err.Error()))
	}
	return "", usagef("no %s was given that can be used", strings.ToLower(label))
}

// askSecret asks for a line on the terminal without showing it.
func (a *app) askSecret(ctx context.Context, label string) (string, error) {
	fd := int(a.streams.In.(*os.File).Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(a.streams.Err, label+": ")
	text, err := untilDone(ctx, func() (string, error) {
		typed, err := term.ReadPassword(fd)
		return string(typed), err
	})
	fmt.Fprintln(a.streams.Err)
	if ctx.Err() != nil {
		// The one who reads still waits, and would leave the terminal mute.
		_ = term.Restore(fd, state) // there is nothing left to do about it
	}
	return text, err
}

// untilDone reads from a person, or gives up when ctx ends: reading from a
// terminal cannot be broken off, so the goroutine stays until the program ends.
func untilDone(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
