package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// FirstCustomID is where ids of customer data begin; smaller ones belong to
// the ERP itself.
const FirstCustomID = 1_000_000

// NextID takes the next id of a table from its AD_Sequence row, as the ERP
// does; a table without one gets it first. Ids of a transaction that fails
// are given again.
func (tx *Tx) NextID(ctx context.Context, table string) (int64, error) {
	tx.touch("AD_SEQUENCE")
	var id int64
	err := tx.QueryRow(ctx, `UPDATE AD_Sequence SET CurrentNext=CurrentNext+IncrementNo
		WHERE Name=? COLLATE NOCASE AND IsTableID='Y' AND IsActive='Y' RETURNING CurrentNext-IncrementNo`, table).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		if strings.EqualFold(table, "AD_Sequence") {
			return 0, errors.New("AD_Sequence has no sequence of its own")
		}
		if err := tx.EnsureSequence(ctx, table); err != nil {
			return 0, err
		}
		return tx.NextID(ctx, table)
	}
	if err != nil {
		return 0, fmt.Errorf("next id of %s: %w", table, err)
	}
	return id, nil
}

// EnsureSequence makes the AD_Sequence row of a table unless there is one.
func (tx *Tx) EnsureSequence(ctx context.Context, table string) error {
	var n int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_Sequence WHERE Name=? COLLATE NOCASE AND IsTableID='Y'`, table).Scan(&n); err != nil {
		return fmt.Errorf("looking for the sequence of %s: %w", table, err)
	}
	if n > 0 {
		return nil
	}
	id, err := tx.NextID(ctx, "AD_Sequence")
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO AD_Sequence(AD_Sequence_ID, AD_Sequence_UU, AD_Client_ID, AD_Org_ID, IsActive,
		Created, CreatedBy, Updated, UpdatedBy, Name, Description, CurrentNext, CurrentNextSys, IncrementNo, StartNo,
		IsAudited, IsAutoSequence, IsOrgLevelSequence, IsTableID, StartNewMonth, StartNewYear)
		VALUES(?,?,0,0,'Y',datetime('now'),0,datetime('now'),0,?,?,?,200000,1,1000000,'N','Y','N','Y','N','N')`,
		id, NewUUID(), table, "Table "+table, FirstCustomID)
	if err != nil {
		return fmt.Errorf("making the sequence of %s: %w", table, err)
	}
	return nil
}

// NewUUID makes a version 7 UUID, the kind the ERP gives new records.
func NewUUID() string {
	return uuid.Must(uuid.NewV7()).String() // fails only when the system has no randomness
}
