package aitest

// Roles, users, organizations and records of the tests.
const (
	Tenant      = 11      // GardenWorld, the tenant of the roles below
	OtherTenant = 1000000 // Fern Hollow

	// Reader has organizations 11, 12, 50000, 50002 and 50004 (and 0), and rules of every
	// kind against it.
	Reader = 2000001
	// Whole has all organizations of the tenant and no rules.
	Whole = 2000002
	// Narrow has include rules: tables C_Order and C_BPartner, of C_BPartner the
	// columns C_BPartner_ID and Name, and two partners, with dependents.
	Narrow = 2000003
	// Including has nothing of its own and includes Base.
	Including = 2000004
	// Base is a master role with organization 12 and an excluded table, M_Product.
	Base = 2000005
	// ByUser takes its organizations from the user: 50002.
	ByUser = 2000006
	// Tree has the summary organization 50007 and with it 12, 50002, 50004, 50005, 50006.
	Tree = 2000007
	// Inactive is deactivated.
	Inactive = 2000008
	// NoOrg has no organization at all.
	NoOrg = 2000009
	// Foreign is a role of the other tenant that User holds, too.
	Foreign = 2000010
	// System is the ERP's own System Administrator.
	System = 0
	// Unknown is not a role.
	Unknown = 2999999

	User     = 2000100 // has all roles above but Unknown, Base, System
	Stranger = 2000101 // has only Whole
	Gone     = 2000102 // is deactivated and has Reader
	Standin  = 2000103 // has NoOrg and stands in for Stranger
	Locker   = 101     // has locked records

	HiddenPartner  = 117     // excluded for Reader with all that refers to it
	LockedPartner  = 120     // locked by Locker, and so is 121
	OwnLocked      = 122     // locked by User
	HiddenProduct  = 123     // excluded for Reader
	ReadOnlyRecord = 124     // a product excluded for Reader and marked read-only, which hides it all the same
	HiddenUser     = 105     // excluded for Reader with all that refers to it
	FirstNewID     = 2000000 // of what the tests add to the dictionary
)

// Canaries: every hidden text begins with the first, every hidden amount with
// the second.
const (
	CanaryText   = "QZX7"
	CanaryNumber = "61803398"
)

// VisibleOrgs are the organizations of Reader, sorted, with 0.
func VisibleOrgs() []int64 { return []int64{0, 11, 12, 50000, 50002, 50004} }

// HiddenOrgs are the others of the tenant.
func HiddenOrgs() []int64 { return []int64{50001, 50005, 50006, 50007} }
