package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/erphub/erphub/cmd/internal/help"
)

// Asks reports whether there is a person to ask.
func (sh *Shell) Asks() bool { return !sh.noInput && Terminal(sh.Streams.In) }

// ReadLine reads a line, or gives up when ctx ends. What is typed then is lost.
func ReadLine(ctx context.Context, in *bufio.Reader) (string, error) {
	return untilDone(ctx, func() (string, error) {
		line, err := in.ReadString('\n')
		if line != "" {
			err = nil
		}
		return line, err
	})
}

// Ask asks for a line until it is one that check takes, three times at most.
// An empty line is usual, unless that is empty, too.
func (sh *Shell) Ask(ctx context.Context, in *bufio.Reader, label, usual string, check func(string) error) (string, error) {
	prompt := label + ": "
	if usual != "" {
		prompt = fmt.Sprintf("%s [%s]: ", label, usual)
	}
	for range 3 {
		fmt.Fprint(sh.Streams.Err, Printable(prompt))
		line, err := ReadLine(ctx, in)
		if err != nil {
			fmt.Fprintln(sh.Streams.Err)
			return "", fmt.Errorf("asking for the %s: %w", strings.ToLower(label), err)
		}
		if line = strings.TrimSpace(line); line == "" {
			line = usual
		}
		if err = check(line); err == nil {
			return line, nil
		}
		sh.Remark(err.Error())
	}
	return "", Usagef("no usable %s was given", strings.ToLower(label))
}

// Remark says below a question what was wrong with what was typed.
func (sh *Shell) Remark(text string) {
	fmt.Fprint(sh.Streams.Err, help.Fill(Printable(text), "  ", sh.width()))
}

// AskSecret asks for a line on the terminal without showing it.
func (sh *Shell) AskSecret(ctx context.Context, label string) (string, error) {
	fd := int(sh.Streams.In.(*os.File).Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(sh.Streams.Err, label+": ")
	text, err := untilDone(ctx, func() (string, error) {
		typed, err := term.ReadPassword(fd)
		return string(typed), err
	})
	fmt.Fprintln(sh.Streams.Err)
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

// Confirm asks a question on the terminal; anything but yes is no.
func (sh *Shell) Confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(sh.Streams.Err, "%s [y/N] ", Printable(question))
	line, err := ReadLine(ctx, bufio.NewReader(io.LimitReader(sh.Streams.In, 1<<10)))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the input: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}
