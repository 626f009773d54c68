package erptest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// pieceSize is how much of an upload is in memory at a time. Files are kept in
// pieces (REST_UploadPiece), by number of chunk and piece.
const pieceSize = 256 << 10

// received is a body on its way into the database: in memory when it is small,
// else in a file that has no name.
type received struct {
	small []byte
	file  *os.File
	size  int64
	sum   hash.Hash // SHA-256
}

// receive reads the request's body, at most what the server allows. The caller
// closes what it returns.
func (c *call) receive() (*received, error) {
	body := http.MaxBytesReader(c.w, c.r.Body, c.srv.opts.MaxBodyBytes)
	in := &received{sum: sha256.New()}
	var err error
	in.small, err = io.ReadAll(io.LimitReader(body, pieceSize))
	in.size = int64(len(in.small))
	if err == nil && len(in.small) == pieceSize {
		err = in.spill(body, c.srv.opts.Path)
	}
	if err == nil {
		return in, nil
	}
	in.close()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, page(http.StatusRequestEntityTooLarge)
	case errors.Is(err, syscall.ENOSPC):
		return nil, engine.WithCause(engine.PublicError(engine.TextDiskFull), err)
	case errors.Is(err, errSpill):
		return nil, err
	}
	return nil, badBody(err)
}

var errSpill = errors.New("keeping a body for the time being")

// spill takes the rest of a body to a file beside the database.
func (in *received) spill(body io.Reader, path string) error {
	in.sum.Write(in.small)
	dir, name := "", "erptest-upload-*"
	if path != "" { // named so that the next start removes what a killed process leaves
		dir, name = filepath.Dir(path), filepath.Base(path)+".new-upload-*"
	}
	f, err := os.CreateTemp(dir, name)
	if err != nil {
		return fmt.Errorf("%w: %w", errSpill, err)
	}
	in.file = f
	_ = os.Remove(f.Name()) // not every system can while it is open; close tries again
	if _, err := f.Write(in.small); err != nil {
		return fmt.Errorf("%w: %w", errSpill, err)
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(f, in.sum)}, body, make([]byte, pieceSize))
	in.size += n
	return err
}

func (in *received) close() {
	if in.file != nil {
		_ = in.file.Close() // nothing in it is needed any more
		_ = os.Remove(in.file.Name())
	}
}

// digest is the SHA-256 of the body.
func (in *received) digest() []byte {
	if in.file == nil {
		sum := sha256.Sum256(in.small)
		return sum[:]
	}
	return in.sum.Sum(nil)
}

// store writes the body as the pieces of a chunk.
func (in *received) store(ctx context.Context, tx *store.Tx, upload, chunk int64) error {
	var from io.Reader = bytes.NewReader(in.small)
	if in.file != nil {
		from = io.NewSectionReader(in.file, 0, in.size)
	}
	tx.Changed("REST_UploadPiece")
	buffer := make([]byte, pieceSize)
	for number := int64(1); ; number++ {
		n, err := io.ReadFull(from, buffer)
		if n > 0 {
			if err := storePiece(ctx, tx, upload, chunk, number, buffer[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading a body that was kept: %w", err)
		}
	}
}

func storePiece(ctx context.Context, tx *store.Tx, upload, chunk, number int64, data []byte) error {
	_, err := tx.Exec(ctx, `INSERT INTO REST_UploadPiece(REST_Upload_ID, ChunkNo, PieceNo, Data) VALUES(?,?,?,?)`, upload, chunk, number, data)
	return err
}

// dropPieces drops the content of an upload, or with chunk > 0 of one chunk.
func dropPieces(ctx context.Context, tx *store.Tx, upload store.Row, chunk int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM REST_UploadPiece WHERE REST_Upload_ID=? AND (ChunkNo=? OR ?=0)`, upload.Int("REST_Upload_ID"), chunk, chunk)
	return err
}

// eachPiece visits the content of an upload in order.
func eachPiece(ctx context.Context, tx *store.Tx, upload store.Row, fn func([]byte) error) (err error) {
	rows, err := tx.Query(ctx, `SELECT Data FROM REST_UploadPiece WHERE REST_Upload_ID=? ORDER BY ChunkNo, PieceNo`, upload.Int("REST_Upload_ID"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var piece sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&piece); err != nil {
			return err
		}
		if err := fn(piece); err != nil {
			return err
		}
	}
	return rows.Err()
}

// uploadContent is the file of a completed session, for what needs it whole.
func uploadContent(ctx context.Context, tx *store.Tx, row store.Row) ([]byte, error) {
	data := make([]byte, 0, sizeOf(row, "REST_ReceivedSize"))
	err := eachPiece(ctx, tx, row, func(piece []byte) error {
		data = append(data, piece...)
		return nil
	})
	return data, err
}

// sendContent answers with the file of a completed session as a media type, piece
// by piece. No transaction is open while the client takes its time.
func (c *call) sendContent(row store.Row, contentType string) {
	var out io.Writer = c.w
	end := func() error { return nil }
	if c.query.has("json") {
		c.w.Header().Set("Content-Type", c.produced)
		encoder := base64.NewEncoder(base64.StdEncoding, c.w)
		out, end = encoder, func() error {
			err := encoder.Close()
			_, werr := io.WriteString(c.w, `"}`)
			return errors.Join(err, werr)
		}
	} else {
		c.w.Header().Set("Content-Type", contentType)
		c.w.Header().Set("Content-Length", strconv.FormatInt(sizeOf(row, "REST_ReceivedSize"), 10))
	}
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return
	}
	if c.query.has("json") {
		_, _ = io.WriteString(c.w, `{"data":"`)
	}
	var chunk, number int64
	for {
		var piece []byte
		err := c.view(c.ctx(), func(tx *store.Tx) error {
			return tx.QueryRow(c.ctx(), `SELECT ChunkNo, PieceNo, Data FROM REST_UploadPiece
				WHERE REST_Upload_ID=? AND (ChunkNo, PieceNo)>(?,?) ORDER BY ChunkNo, PieceNo LIMIT 1`, row.Int("REST_Upload_ID"), chunk, number).
				Scan(&chunk, &number, &piece)
		})
		if errors.Is(err, sql.ErrNoRows) {
			_ = end() // the client may be gone; nothing is left to do then
			return
		}
		if err == nil {
			_, err = out.Write(piece)
		}
		if err != nil {
			c.srv.log.Info("an uploaded file could not be sent whole", "upload", row.String("REST_UploadID"), "error", err)
			panic(http.ErrAbortHandler) // the status has been sent: a broken connection says that this is not all
		}
	}
}
