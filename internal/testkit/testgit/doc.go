// Package testgit starts a real git server for tests, git's own http-backend,
// and in front of it a forge: the few calls of the APIs of GitHub and
// Gitea that create and remove repositories, written after their public
// descriptions.
//
//	forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: "…"})
//	// forge.URL
//	dir := forge.Clone(t, "user/repository")
//
// It needs the git program. Without it tests are skipped with the reason,
// except with CI=true, where that fails.
package testgit
