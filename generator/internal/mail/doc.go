// Package mail delivers generated plugins as attachments of e-mails.
//
//	sender, err := mail.New(mail.Options{
//		Host:  "smtp.example.com",
//		From:  "noreply@example.com",
//		Login: login, // func(context.Context) (mail.Login, error)
//	})
//	delivery, err := sender.To("developer@example.com")
//	receipt, err := delivery.Deliver(ctx, artifact, nil)
//
// Mails go to one server, the operator's, which relays them; the domain of the
// recipient is never connected to. The connection is encrypted (STARTTLS, or
// TLS from the start on port 465) and the server's certificate is checked,
// unless [Options.Cleartext] allows to go on without; a password is never sent
// without encryption, except to this machine.
//
// An address is one plain address. Line breaks, other control characters, lists
// and display names in it are refused, so that nobody adds headers or
// recipients through it. [Options.Recipients] says whom mails may go to.
//
// That a mail was sent means that the server has taken it on.
package mail
