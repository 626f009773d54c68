// Package tests3 starts a real S3 server for tests.
//
//	s := tests3.Start(t)
//	s.CreateBucket(t, "plugins")
//	// s.Endpoint, s.Region, s.AccessKey, s.SecretKey
//
// The server is versitygw, which checks signatures and their expiry. It is
// looked for on the PATH, among Go's installed programs, and in
// erphub-tests/versitygw@v1.8.0 of the user's cache folder. Without it tests
// are skipped with the reason, except with CI=true, where that fails.
package tests3
