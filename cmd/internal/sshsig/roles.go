package sshsig

// The roles of a key are the namespaces in which it signs for rocec.
const (
	RolePlan    = "rocec-plan"    // over the bytes of a plan file: who made the plan
	RoleApprove = "rocec-approve" // over the bytes of a plan file: who approves it
	RoleApply   = "rocec-apply"   // over the hash of a plan: who applies it
	RoleRun     = "rocec-run"     // over the head of a journal: who led the run
	RoleDevice  = "rocec-device"  // over an order: the effects of a run on devices with a gate
	RoleSite    = "rocec-site"    // over a statement of a site of a team
)

// SitePrefix begins the name of a site in a file of allowed signers. A site has no role of a person, whatever its line allows.
const SitePrefix = "site:"

// ofPerson reports whether persons alone have a role: what they decide, a machine does not.
func ofPerson(role string) bool { return role == RolePlan || role == RoleApprove || role == RoleApply }
