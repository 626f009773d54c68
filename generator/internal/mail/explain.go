package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/erphub/erphub/generator/internal/reach"
	"github.com/erphub/erphub/internal/failure"
)

// secretsOf lists what a server's message may contain and nobody should see.
func secretsOf(l Login) []string {
	if l.Password == "" {
		return nil
	}
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return []string{encode("\x00" + l.User + "\x00" + l.Password), encode(l.Password), l.Password}
}

// explain turns the client's error into one for people.
func (s *Sender) explain(ctx context.Context, doing string, err error, secrets []string) error {
	var sending *gomail.SendError
	var reply *textproto.Error
	code := 0
	at := func(reason gomail.SendErrReason) bool { return sending != nil && sending.Reason == reason }
	if errors.As(err, &sending) {
		code = sending.ErrorCode()
	}
	if errors.As(err, &reply) {
		code = reply.Code
	}
	words := s.words(err, reply, secrets)
	e := &failure.Error{Doing: doing, Err: err}
	switch {
	case code == 0:
		return s.connection(ctx, doing, err)
	case code == 552, code == 523, strings.Contains(words, "5.3.4"):
		return tooLarge(doing, "the mail server does not take a mail of this size: "+words, err)
	case code == 452:
		e.Kind, e.Why, e.Next = failure.Full, "the mail server has no room: "+words, "try again later"
	case slices.Contains([]int{504, 534, 535, 538}, code), sending == nil && slices.Contains([]int{454, 501}, code):
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the mail server refuses the login: "+words, "check user name and password, and whether the account may send mail this way"
	case code == 530:
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the mail server wants a login: "+words, "set user name and password"
	case code >= 500 && at(gomail.ErrSMTPRcptTo):
		e.Kind, e.Why, e.Next = failure.Refused, "the mail server refuses the recipient: "+words, "check the address, and whether the server sends mail to its domain"
	case code >= 500 && at(gomail.ErrSMTPMailFrom):
		e.Kind, e.Why, e.Next = failure.Refused, "the mail server refuses the sender "+s.opts.From+": "+words, "set hub.email.from (EMAIL_FROM) to an address it takes"
	case code/100 == 4:
		e.Kind, e.Why, e.Next = failure.Unreachable, "the mail server cannot take it now: "+words, "try again in some minutes"
	default:
		e.Kind, e.Why, e.Next = failure.Refused, "the mail server refuses the mail: "+words, "look at its log"
	}
	return e
}

// connection explains errors without a response of the server.
func (s *Sender) connection(ctx context.Context, doing string, err error) error {
	e := &failure.Error{Doing: doing, Err: err}
	var sending *gomail.SendError
	switch text := err.Error(); {
	case errors.As(err, &sending) && sending.Reason == gomail.ErrSMTPDataClose:
		e.Kind, e.Why = failure.Unknown, "the mail server "+s.host+" went away before it said whether it took the mail"
		e.Next = "ask the recipient before sending it again"
	case strings.Contains(text, "STARTTLS mode set to"):
		e.Kind, e.Why, e.Next = failure.Refused, "the mail server "+s.host+" offers no encryption (STARTTLS)", "use its port with TLS (465), or allow mails without encryption"
	case strings.Contains(text, "does not support SMTP AUTH"), errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the mail server "+s.host+" offers no login that is safe on this connection", "use a port with encryption, or no login"
	case errors.Is(err, smtp.ErrUnencrypted):
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the password is not sent to "+s.host+" without encryption", "use a port with encryption"
	default:
		if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			err = errors.Join(ctx.Err(), err) // the line was cut because of it
		}
		if network := reach.Failure(ctx, doing, "the mail server "+s.host, err); network != nil {
			return network
		}
		e.Kind, e.Why, e.Next = failure.Unreachable, "the mail server "+s.host+" ended the conversation or does not speak SMTP", "check host and port"
	}
	return e
}

// words is the server's response.
func (s *Sender) words(err error, reply *textproto.Error, secrets []string) string {
	if reply != nil {
		return failure.Words(fmt.Sprintf("%d %s", reply.Code, reply.Msg), secrets...)
	}
	var sending *gomail.SendError
	if errors.As(err, &sending) {
		// The library flattens the response: leave out what it adds behind.
		text, _, _ := strings.Cut(sending.Error(), ", affected recipient")
		text, _, _ = strings.Cut(text, ", affected message")
		text = strings.TrimPrefix(text, sending.Reason.String()+": ")
		return failure.Words(text, secrets...)
	}
	return failure.Words(err.Error(), secrets...)
}

func tooLarge(doing, why string, err error) error {
	return &failure.Error{Kind: failure.TooLarge, Doing: doing, Why: why, Next: "use the mode url or object_store", Err: err}
}
