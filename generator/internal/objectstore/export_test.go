package objectstore

import "context"

// Static returns credentials that do not change, for [Options.Credentials].
func Static(accessKey, secretKey string) func(context.Context) (Credentials, error) {
	return func(context.Context) (Credentials, error) {
		return Credentials{AccessKey: accessKey, SecretKey: secretKey}, nil
	}
}
