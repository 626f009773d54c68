package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/httpserver"
)

// slowest is the speed below which a download is given up, in bytes a second,
// after writeTimeout.
const slowest = 16 << 10

// download serves a link to a stored plugin.
func (h *Handler) download(w http.ResponseWriter, r *http.Request) string {
	w.Header().Set("Referrer-Policy", "no-referrer")
	if h.opts.Artifacts == nil {
		return h.refuse(w, r, httpserver.NotFound("there are no downloads here", "choose the output url where they are configured"))
	}
	if !h.downloads.TryAcquire(1) {
		return h.refuse(w, r, busy("too many downloads are going on"))
	}
	defer h.downloads.Release(1)
	a, content, err := h.opts.Artifacts.Open(r.Context(), r.PathValue("id"))
	if err != nil {
		var missing *failure.Error
		if errors.As(err, &missing) && missing.Kind == failure.NotFound && missing.Err == nil { // the caller's link is wrong: nothing for the log
			return h.refuse(w, r, httpserver.NotFound(missing.Doing+": "+missing.Why, missing.Next))
		}
		p := h.apiError(r.Context(), err) // a store that lacks its bucket is
		if failure.KindOf(err) == failure.NotFound {
			p.Status, p.Code = http.StatusNotFound, "not_found"
		}
		return h.refuse(w, r, p)
	}
	defer func() { _ = content.Close() }() // it was only read
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(writeTimeout + time.Duration(a.Size/slowest)*time.Second))
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	head := w.Header()
	head.Set("Content-Type", "application/zip")
	head.Set("Content-Disposition", disposition(a.Filename))
	head.Set("Cache-Control", "private, no-store")
	head.Set("ETag", `"`+a.SHA256+`"`)
	if !strings.HasPrefix(r.Header.Get("Range"), "bytes=") {
		r.Header.Del("Range") // of a unit that nobody knows: RFC 9110 has it ignored
	}
	sent := &download{ResponseWriter: w, h: h, r: r, size: a.Size, code: "ok"}
	http.ServeContent(sent, r, "", a.Created, content)
	return sent.code
}

// download refuses ranges that cannot be served in the form of this API.
type download struct {
	http.ResponseWriter
	h    *Handler
	r    *http.Request
	size int64
	code string
}

func (d *download) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		d.ResponseWriter.WriteHeader(status)
		return
	}
	head := d.Header()
	for _, name := range []string{"Content-Disposition", "Etag", "Last-Modified", "Content-Encoding"} {
		head.Del(name)
	}
	head.Set("Content-Range", fmt.Sprintf("bytes */%d", d.size))
	d.code = d.h.refuse(d.ResponseWriter, d.r, &httpserver.APIError{Status: status, Code: "range", Message: "the file has no such range", Hint: "send the request without the header Range"})
}

func (d *download) Write(p []byte) (int, error) {
	if d.code != "ok" {
		return len(p), nil // the words of the standard library
	}
	return d.ResponseWriter.Write(p)
}

// ReadFrom lets the connection take the file as it can.
func (d *download) ReadFrom(src io.Reader) (int64, error) { return io.Copy(d.ResponseWriter, src) }

// Unwrap lets http.ResponseController reach the writer below.
func (d *download) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// disposition is the header Content-Disposition for a file, as RFC 6266 has it:
// for names that are no ASCII token both a plain one and the real one.
func disposition(name string) string {
	plain, token := strings.Builder{}, name != ""
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("!#$&+-.^_`|~", r):
			plain.WriteRune(r)
		default:
			token = false
			plain.WriteByte('_')
		}
	}
	if token {
		return "attachment; filename=" + name
	}
	if strings.Trim(plain.String(), "_.") == "" {
		return "attachment; filename=plugin.zip; filename*=UTF-8''" + percent(name)
	}
	return fmt.Sprintf("attachment; filename=%s; filename*=UTF-8''%s", plain.String(), percent(name))
}

// percent writes text as RFC 8187 has it.
func percent(text string) string {
	text = strings.ToValidUTF8(text, "_")
	return strings.ReplaceAll(url.QueryEscape(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, text)), "+", "%20")
}
