// Package notify tells others by webhook how deployment runs ended.
//
//	n, err := notify.New(dir, &notify.Options{URLs: []string{"https://hooks.example.com/erp"}, Secret: secret})
//	err = n.Add(ctx, run, nil)  // writes the message to the folder
//	report := n.Send(ctx)       // sends what the folder holds, until ctx ends
//
// # Messages
//
// A message is a POST of a JSON object, made when a run ends in SUCCESS or FAILED
// or is rolled back:
//
//	{
//	  "version": 1,
//	  "id": "0f6c2d6e-…",
//	  "event": "deployment.succeeded",
//	  "timestamp": "2026-03-09T14:03:00Z",
//	  "text": "12.0.4 is running in Production (before: 12.0.3); by anna, took 3m0s",
//	  "run": { "uuid": "…", "environment": "PROD", "status": "SUCCESS", "version": "12.0.4", … }
//	}
//
// event is deployment.succeeded, deployment.failed or deployment.rolled_back,
// timestamp is when that happened, and run is the JSON of [deploylog.Run].
// Members may be added; version changes when one changes its meaning. The
// member text is what Slack, Mattermost and what is compatible with them show, so
// their incoming webhooks can be used as they are; in it &, < and > are escaped
// as these want it, and nobody is mentioned.
//
// # Signatures
//
// With a secret, messages are signed as Standard Webhooks has it
// (https://www.standardwebhooks.com): the headers webhook-id, webhook-timestamp
// (seconds of the attempt) and webhook-signature, "v1," and the base64 of the
// HMAC-SHA256 over id, timestamp and body with dots between them. Receivers use
// any library for that specification.
//
// # Delivery
//
// Every message is written to the folder and synced before it is sent, and
// removed when its receiver responded with a status of 200 to 299. What cannot be
// delivered stays, and the next Send or Flush tries again, with pauses that grow
// up to an hour for each receiver. A message is thus delivered at least once, and
// always under the same id, by which receivers tell a second copy. The messages
// of a run reach a receiver in order. What was not delivered within
// Options.MaxAge is set aside; List shows it and Discard removes it.
//
// Redirects are not followed. Plain http is for this machine, unless
// Options.AllowHTTP says otherwise. Addresses of chat systems are secrets: errors
// and logs name the host alone.
package notify
