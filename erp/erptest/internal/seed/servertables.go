package seed

// ServerTables makes the tables that the server keeps for itself, where they are not
// there yet: the dictionary has no part in them. The content of uploads is in pieces
// that are read and written one at a time. Tokens are held as fingerprints only, times
// as Unix milliseconds with 0 for "never", lists of methods separated by commas.
const ServerTables = `
CREATE TABLE IF NOT EXISTS REST_UploadPiece (
	REST_Upload_ID INTEGER NOT NULL, ChunkNo INTEGER NOT NULL, PieceNo INTEGER NOT NULL, Data BLOB NOT NULL,
	PRIMARY KEY (REST_Upload_ID, ChunkNo, PieceNo));
CREATE TABLE IF NOT EXISTS REST_RefreshToken (
	REST_RefreshToken_ID INTEGER PRIMARY KEY AUTOINCREMENT,
	Token TEXT NOT NULL, RefreshToken TEXT NOT NULL UNIQUE, ParentToken TEXT NOT NULL DEFAULT '',
	AD_Client_ID INTEGER NOT NULL, AD_User_ID INTEGER NOT NULL, AD_Session_ID INTEGER NOT NULL,
	Claims TEXT NOT NULL, PasswordMark TEXT NOT NULL,
	ExpiresAt INTEGER NOT NULL, AbsoluteExpiresAt INTEGER NOT NULL,
	RevokedAt INTEGER NOT NULL DEFAULT 0, REST_RevokeCause TEXT NOT NULL DEFAULT '', Created INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS REST_RefreshToken_Token ON REST_RefreshToken(Token);
CREATE INDEX IF NOT EXISTS REST_RefreshToken_Parent ON REST_RefreshToken(ParentToken);
CREATE TABLE IF NOT EXISTS REST_AuthToken (
	Token TEXT PRIMARY KEY, AD_User_ID INTEGER NOT NULL, AD_Session_ID INTEGER NOT NULL,
	ExpiresAt INTEGER NOT NULL, IsActive TEXT NOT NULL DEFAULT 'Y', Created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS REST_Resource (
	REST_Resource_ID INTEGER PRIMARY KEY AUTOINCREMENT, Pattern TEXT NOT NULL, IsActive TEXT NOT NULL DEFAULT 'Y');
CREATE TABLE IF NOT EXISTS REST_Resource_Access (
	REST_Resource_ID INTEGER NOT NULL, AD_Role_ID INTEGER NOT NULL, Methods TEXT NOT NULL, IsActive TEXT NOT NULL DEFAULT 'Y',
	PRIMARY KEY (REST_Resource_ID, AD_Role_ID));
`
