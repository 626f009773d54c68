package erptest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Query parameters of a presigned URL.
const (
	presignedCredential = "X-ID-CREDENTIAL"
	presignedDate       = "X-ID-DATE"
	presignedExpires    = "X-ID-EXPIRES"
	presignedSignature  = "X-ID-SIGNATURE"
)

// presignedTime is how a presigned URL writes when it was made, in UTC.
const presignedTime = "2006-01-02T15:04:05Z"

// credential is what a presigned URL allows, to whom.
type credential struct {
	Client int64  `json:"c"`
	User   int64  `json:"u"`
	Role   int64  `json:"r"`
	Org    int64  `json:"o"`
	Method string `json:"m"`
	Path   string `json:"p"` // relative to /api/; what begins with it is allowed
}

// presignKey is one of the keys presigned URLs are made with, all of them
// derived from the secret of the server.
func (s *Server) presignKey(purpose string) []byte {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("presigned url " + purpose))
	return mac.Sum(nil)
}

func (s *Server) presignCipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.presignKey("credential"))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// presign is the query that lets the holder use a method below a path, which
// is relative to /api/, as the caller, for that many seconds.
func (c *call) presign(method, path string, seconds int64) (string, error) {
	plain, err := json.Marshal(credential{
		Client: c.session.ClientID, User: c.session.UserID, Role: c.session.RoleID, Org: c.session.OrgID, Method: method, Path: path,
	})
	if err != nil {
		return "", err
	}
	aead, err := c.srv.presignCipher()
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	sealed := base64.RawURLEncoding.EncodeToString(aead.Seal(nonce, nonce, plain, nil))
	date, expires := c.srv.now().UTC().Format(presignedTime), strconv.FormatInt(seconds, 10)
	return fmt.Sprintf("%s=%s&%s=%s&%s=%s&%s=%s", presignedCredential, sealed, presignedDate, date,
		presignedExpires, expires, presignedSignature, url.QueryEscape(c.srv.presignedSignature(sealed, date, expires))), nil
}

func (s *Server) presignedSignature(parts ...string) string {
	mac := hmac.New(sha256.New, s.presignKey("signature"))
	mac.Write([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// isPresigned reports whether the request is a presigned URL's. No bearer token
// is looked at then.
func (c *call) isPresigned() bool { return strings.TrimSpace(c.query.get(presignedSignature)) != "" }

// authenticatePresigned sets c.session from the presigned URL, or tells why it is
// not good.
func (c *call) authenticatePresigned() error {
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		if err := c.checkPresigned(tx); err != nil {
			return err
		}
		return c.checkResource(c.ctx(), tx)
	})
	if err != nil && c.ctx().Err() == nil && c.hidesErrors() {
		return c.hiddenError()
	}
	return err
}

// hidesErrors reports whether the caller is not told what is wrong, because the
// request is a presigned URL's and REST_HIDE_PRESIGNED_URL_ERRORS is Y.
func (c *call) hidesErrors() bool {
	hide := "N"
	if c.isPresigned() {
		_ = c.view(c.ctx(), func(tx *store.Tx) error { // hidden when it cannot be read
			hide = "Y"
			hide = c.srv.erp.Sysconfig(c.ctx(), tx, "REST_HIDE_PRESIGNED_URL_ERRORS", "N", 0, 0)
			return nil
		})
	}
	return hide == "Y"
}

// hiddenError is the error for callers who may not know what is wrong.
func (c *call) hiddenError() error {
	text := "Something went wrong ..."
	_ = c.view(c.ctx(), func(tx *store.Tx) (err error) { // the text above serves as well
		text, err = engine.Message(c.ctx(), tx, "REST_Presigned_URL_Generic_Error", "", text)
		return err
	})
	return &textError{status: http.StatusBadRequest, text: text}
}

// hiddenErrors is a handler whose refusals are not told to presigned URLs. The
// container's own stay what they are.
func hiddenErrors(handle handler) handler {
	return func(c *call) error {
		err := handle(c)
		var pg *pageError
		if err == nil || errors.As(err, &pg) || !c.hidesErrors() {
			return err
		}
		c.logFailure(err)
		return c.hiddenError()
	}
}

// checkPresigned checks in the order of the real server what a presigned URL
// allows, that it is still good, and its signature.
func (c *call) checkPresigned(tx *store.Tx) error {
	sealed, date, expires := c.query.get(presignedCredential), c.query.get(presignedDate), c.query.get(presignedExpires)
	may, ok := c.srv.openCredential(sealed)
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := strings.TrimPrefix(c.r.URL.Path, "/api/")
	if !ok || may.Method != method || path != may.Path && !strings.HasPrefix(path, may.Path+"/") {
		return page(http.StatusUnauthorized)
	}
	made, err := time.Parse(presignedTime, date)
	seconds, errSeconds := strconv.ParseInt(expires, 10, 64)
	if err != nil || errSeconds != nil {
		return page(http.StatusUnauthorized)
	}
	if c.srv.now().Unix()-made.Unix() >= seconds {
		return &textError{status: http.StatusUnauthorized, text: "Presigned URL has expired"}
	}
	want := c.srv.presignedSignature(sealed, date, expires)
	if subtle.ConstantTimeCompare([]byte(want), []byte(c.query.get(presignedSignature))) != 1 {
		return &textError{status: http.StatusUnauthorized, text: "Signature mismatch"}
	}
	return c.enterAs(tx, may)
}

func (s *Server) openCredential(sealed string) (may credential, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return may, false
	}
	aead, err := s.presignCipher()
	if err != nil || len(raw) < aead.NonceSize() {
		return may, false
	}
	plain, err := aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], nil)
	if err != nil {
		return may, false
	}
	return may, json.Unmarshal(plain, &may) == nil
}

// enterAs makes the session of a presigned URL, when its tenant, user and role
// are still active.
func (c *call) enterAs(tx *store.Tx, may credential) error {
	ctx := c.ctx()
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_Client c, AD_User u, AD_Role r
		WHERE c.AD_Client_ID=? AND u.AD_User_ID=? AND r.AD_Role_ID=? AND c.IsActive='Y' AND u.IsActive='Y' AND r.IsActive='Y'`,
		may.Client, may.User, may.Role).Scan(&n)
	if err != nil {
		return err
	}
	if n == 0 {
		return page(http.StatusUnauthorized)
	}
	user, err := engine.OneRow(ctx, tx, "AD_User", may.User)
	if err != nil {
		return err
	}
	client, err := engine.OneRow(ctx, tx, "AD_Client", may.Client)
	if err != nil {
		return err
	}
	role, err := c.srv.erp.Roles.Get(ctx, tx, may.Role, may.User, c.srv.now())
	if err != nil {
		return err
	}
	c.session = &engine.Session{
		ERP:      c.srv.erp,
		ClientID: may.Client, UserID: may.User, RoleID: may.Role, OrgID: may.Org, UserName: user.String("Name"),
		Language: client.String("AD_Language"), Role: role,
	}
	return c.setLocale(ctx, tx)
}
