package delivery

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/secretfile"
)

// raw is a setting without its default: environment first, then the rest.
func (d *Deliveries) raw(name, env string) string {
	if env != "" && d.opts.Getenv != nil {
		if text := d.opts.Getenv(env); text != "" {
			return text
		}
	}
	if d.opts.Setting != nil {
		return d.opts.Setting(name)
	}
	return ""
}

// setting is the value of a key that is not a secret.
func (d *Deliveries) setting(name string) string {
	k := lookUp(name)
	if text := d.raw(name, k.Env); text != "" {
		return strings.TrimSpace(text)
	}
	return k.Default
}

// secret looks for a secret, "" for none.
func (d *Deliveries) secret(ctx context.Context, name string) (string, error) {
	k := lookUp(name)
	if text := d.raw(name, k.Env); text != "" {
		return d.usable(name, text)
	}
	path := d.raw(name+fileSuffix, k.Env+fileEnvSuffix)
	if path == "" {
		return "", nil
	}
	text, err := secretfile.ReadFile(path)
	switch {
	case errors.Is(err, secretfile.ErrTooOpen):
		return "", wrong(name, "others may read or write the file for it", "run chmod 600 on the file that "+name+fileSuffix+" ("+k.Env+fileEnvSuffix+") names", err)
	case err != nil:
		return "", wrong(name, "the file for it cannot be read", "check "+name+fileSuffix+" ("+k.Env+fileEnvSuffix+") and who may read the file", err)
	}
	return d.usable(name, text)
}

// usable refuses secrets that could not be sent as they are.
func (d *Deliveries) usable(name, text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return "", wrong(name, "it contains a line break or another control character", "set it anew", nil)
	}
	return text, nil
}

// need is a secret that cannot be done without.
func (d *Deliveries) need(ctx context.Context, name string) (string, error) {
	text, err := d.secret(ctx, name)
	if err == nil && text == "" {
		err = wrong(name, "it is not set", "set it, or "+lookUp(name).Env+", or "+lookUp(name).Env+fileEnvSuffix+" to a file that holds it", nil)
	}
	return text, err
}

// whole is a setting that is a whole number within bounds.
func (d *Deliveries) whole(name string, least, most int) (int, error) {
	text := d.setting(name)
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, wrong(name, fmt.Sprintf("%q is not a whole number from %d to %d", failure.Words(text), least, most), "correct it", nil)
	}
	return n, nil
}

// yes is a setting that is true or false.
func (d *Deliveries) yes(name string) (bool, error) {
	text := d.setting(name)
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, wrong(name, fmt.Sprintf("%q is neither true nor false", failure.Words(text)), "correct it", nil)
	}
	return b, nil
}

// wrong is a setting that cannot be used.
func wrong(name, why, next string, err error) error {
	label := name
	if env := lookUp(name).Env; env != "" {
		label += " (" + env + ")"
	}
	return &failure.Error{Kind: failure.NotConfigured, Doing: "reading the setting " + label, Why: why, Next: next, Err: err}
}
