// Package gitrepo delivers generated plugins as new repositories on a forge:
// GitHub, and Gitea or Forgejo. It creates the repository through the forge's
// API and pushes one commit; no git program is needed.
//
//	repositories, err := gitrepo.New(gitrepo.Options{
//		URL:   "https://forge.example.com",
//		Owner: "erp-plugins",
//		Token: token, // func(context.Context) (string, error)
//	})
//	receipt, err := repositories.Deliver(ctx, artifact, nil)
//
// The repository is named like the artifact and is private unless requested
// otherwise. A repository that already exists is never touched.
//
// # When it fails
//
// A repository that was created and could not be filled is removed again,
// unless somebody else has pushed to it. The error says when it could not be
// removed, which a token may not be allowed to do, and where it is.
//
// # Hosts
//
// The token goes to the host of [Options.URL] (and for GitHub to its API's
// host) and nowhere else: links in the forge's responses are shown, not used, and
// redirects are not followed. It is sent without TLS to this machine only. The
// forge may be in a private network; set [Options.Untrusted] when somebody else
// than the operator chose it.
package gitrepo
