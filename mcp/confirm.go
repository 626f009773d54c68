package mcp

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// confirmationContext binds a token to its purpose and form.
const confirmationContext = "erphub confirmation 4"

// maxConfirmation bounds what is looked at as a token, which carries the question and
// what it rests on.
const maxConfirmation = 8 * LongestQuestion

// ErrConfirmation is why a token does not confirm. It says no more to whoever
// tries.
var ErrConfirmation = errors.New("the confirmation is not for this call, is older than allowed, or was used already")

// confirmed is what a token says.
type confirmed struct {
	Binding  []byte `json:"b"` // of caller, tool and arguments
	Question string `json:"q"`
	Expires  int64  `json:"e"` // Unix seconds
	Nonce    string `json:"n"`
}

// Seal makes a token that stands for the question being asked about this call, as
// [Whole] has it, for the time of Limits.Confirmation. It is encrypted, bound to the caller,
// their session, the tool, the arguments and the question, which is in it, and good
// for one use.
// It is for the program that asks the user, never for the one that wants to be
// allowed something.
func (b *Boundary) Seal(ctx context.Context, c *Call, question string) (string, error) {
	gcm, err := b.cipher(ctx)
	if err != nil {
		return "", err
	}
	binding, err := bindingOf(c)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(confirmed{binding, question, b.opts.Now().Add(b.opts.Limits.Confirmation).Unix(), rand.Text()})
	if err != nil {
		return "", err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce) // it never fails
	return base64.RawURLEncoding.EncodeToString(gcm.Seal(nonce, nonce, plain, []byte(confirmationContext))), nil
}

// Unseal reports whether the token was made by [Boundary.Seal] for the same
// caller, session, tool, arguments and question, in time and not used before:
// otherwise the error is [ErrConfirmation], or, when only the question became
// another, what changed, see [Changed]. It counts as used afterwards.
func (b *Boundary) Unseal(ctx context.Context, c *Call, question, token string) error {
	gcm, err := b.cipher(ctx)
	if err != nil {
		return err
	}
	if len(token) > maxConfirmation {
		return ErrConfirmation
	}
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(sealed) < gcm.NonceSize() {
		return ErrConfirmation
	}
	plain, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], []byte(confirmationContext))
	if err != nil {
		return ErrConfirmation
	}
	var said confirmed
	if err := json.Unmarshal(plain, &said); err != nil {
		return ErrConfirmation
	}
	binding, err := bindingOf(c)
	if err != nil {
		return err
	}
	left := time.Unix(said.Expires, 0).Sub(b.opts.Now())
	switch {
	case !bytes.Equal(binding, said.Binding) || left <= 0:
		return ErrConfirmation
	case said.Question != question:
		return Changed(c.Tool, said.Question, question)
	}
	exceeded, err := b.opts.Store.Add(ctx, []LimitEntry{{Key: "confirmed:" + said.Nonce, Amount: 1, Limit: 1, TTL: left + time.Minute}})
	if err != nil {
		return b.unavailable(err)
	}
	if exceeded >= 0 {
		return ErrConfirmation
	}
	return nil
}

// cipher is made of the key all replicas share.
func (b *Boundary) cipher(ctx context.Context) (cipher.AEAD, error) {
	secret, err := b.opts.Store.Secret(ctx)
	if err != nil {
		return nil, b.unavailable(err)
	}
	key := sha256.Sum256(append([]byte(confirmationContext+"\x00"), secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// bindingOf is what a confirmation is for. Arguments that mean the same, but
// are written in another order, are the same. Where the protocol has no sessions
// the caller's session is that of the ERP.
func bindingOf(c *Call) ([]byte, error) {
	args, err := canonical(c.Arguments)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, part := range []string{c.Caller.ID, fmt.Sprint(c.Caller.Known, c.Caller.RoleID, c.Caller.OrgID), c.Caller.Session, c.Tool, string(args)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return sum.Sum(nil), nil
}

// canonical is the arguments in one way of writing.
func canonical(raw json.RawMessage) ([]byte, error) {
	args := map[string]any{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 {
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()
		if err := d.Decode(&args); err != nil {
			return nil, fmt.Errorf("reading the arguments: %w", err)
		}
	}
	return json.Marshal(args)
}
