package boundary

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
	"strings"
	"time"

	"github.com/erphub/erphub/mcp"
)

// confirmationContext binds a token to its purpose and form.
const confirmationContext = "erphub confirmation 1"

// maxConfirmation bounds what is looked at as a token.
const maxConfirmation = 1024

// ErrConfirmation is why a token does not confirm. It says no more to whoever
// tries.
var ErrConfirmation = errors.New("the confirmation is not for this call, is older than allowed, or was used already")

// confirmed is what a token says.
type confirmed struct {
	Binding []byte `json:"b"` // of caller, tool, arguments and question
	Expires int64  `json:"e"` // Unix seconds
	Nonce   string `json:"n"`
}

// Seal makes a token that stands for the question being asked about this call,
// for the time of Limits.Confirmation. It is encrypted, bound to the caller,
// the tool, the arguments and the question, and good for one use.
func (b *Boundary) Seal(ctx context.Context, c *mcp.Call, question string) (string, error) {
	gcm, err := b.cipher(ctx)
	if err != nil {
		return "", err
	}
	binding, err := bindingOf(c, question)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(confirmed{binding, b.opts.Now().Add(b.opts.Limits.Confirmation).Unix(), rand.Text()})
	if err != nil {
		return "", err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce) // it never fails
	return base64.RawURLEncoding.EncodeToString(gcm.Seal(nonce, nonce, plain, []byte(confirmationContext))), nil
}

// Unseal reports whether the token was made by [Boundary.Seal] for the same
// caller, tool, arguments and question, in time and not used before: otherwise
// the error is [ErrConfirmation]. It counts as used afterwards.
func (b *Boundary) Unseal(ctx context.Context, c *mcp.Call, question, token string) error {
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
	binding, err := bindingOf(c, question)
	if err != nil {
		return err
	}
	left := time.Unix(said.Expires, 0).Sub(b.opts.Now())
	if !bytes.Equal(binding, said.Binding) || left <= 0 {
		return ErrConfirmation
	}
	exceeded, err := b.opts.Store.Add(ctx, []Entry{{Key: "confirmed:" + said.Nonce, Amount: 1, Limit: 1, TTL: left + time.Minute}})
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
// are written in another order, are the same.
func bindingOf(c *mcp.Call, question string) ([]byte, error) {
	args, err := canonical(c.Arguments)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, part := range []string{c.Caller.ID, fmt.Sprint(c.Caller.Known, c.Caller.RoleID, c.Caller.OrgID), c.Tool, string(args), question} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return sum.Sum(nil), nil
}

// canonical is the arguments without a confirmation, in one way of writing.
func canonical(raw json.RawMessage) ([]byte, error) {
	args := map[string]any{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 {
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()
		if err := d.Decode(&args); err != nil {
			return nil, fmt.Errorf("reading the arguments: %w", err)
		}
	}
	delete(args, mcp.ConfirmationArgument)
	return json.Marshal(args)
}

// given is the token among the arguments, "" without one.
func given(raw json.RawMessage) string {
	var args struct {
		Confirmation string `json:"confirmation"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &args) != nil {
		return ""
	}
	return strings.TrimSpace(args.Confirmation)
}

// byToken asks through sealed tokens among the arguments.
func (b *Boundary) byToken(c *mcp.Call) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, question string) (bool, error) {
		hint := "ask the user; if they agree, repeat the call with the same arguments and the argument \"confirmation\" set to the confirmation of this answer"
		if token := given(c.Arguments); token != "" {
			err := b.Unseal(ctx, c, question, token)
			if err == nil {
				return true, nil
			}
			if !errors.Is(err, ErrConfirmation) {
				return false, err
			}
			hint = err.Error() + ": " + hint
		}
		token, err := b.Seal(ctx, c, question)
		if err != nil {
			return false, err
		}
		return false, &mcp.Error{Code: mcp.CodeConfirmationRequired, Message: question, Hint: hint, Confirmation: token}
	}
}
