package savedplan

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/targets/deploy"
)

// teamPlan returns a plan with two waves of one site.
func teamPlan(waves int) *deploy.Saved {
	return deploy.NewSaved(nil, deploy.Meta{Terms: &deploy.Terms{
		Name: "prod", Waves: []string{"leaf1", "leaf2"}, Shares: []deploy.TermShare{{Site: "dc1", Waves: waves}}, Approvals: 1,
	}})
}

// TestImpossibleShares: a plan file whose sites do not split its waves is refused when it is read.
func TestImpossibleShares(t *testing.T) {
	name := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(name, teamPlan(2).Bytes(), 0o600))
	_, err := Read(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, teamPlan(-2).Bytes(), 0o600))
	_, err = Read(name)
	require.ErrorContains(t, err, "the share of the site dc1 has -2 waves, and the plan has 2: make the plan again")
}

// TestSiteApproves: a site is no person, whatever roles its line allows. It neither approves a plan nor submits one.
func TestSiteApproves(t *testing.T) {
	alice, site := sshsigtest.NewToken(bytes.Repeat([]byte{1}, 32)), sshsigtest.NewToken(bytes.Repeat([]byte{2}, 32))
	signers, err := sshsig.ParseSigners([]byte("alice " + alice.Line() + "\nsite:dc1 " + site.Line() + "\n"))
	require.NoError(t, err)
	saved := teamPlan(2)
	of := &journal.Agreement{Plan: sshsig.SumsOf(saved.Bytes()), Wanted: 1}
	of.Submitted.Signature = string(alice.Sign(sshsig.RoleApply, of.Submission(), 1))
	of.Approvals = []journal.Signature{{Person: "site:dc1", Signature: string(site.Sign(sshsig.RoleApprove, saved.Bytes(), 1))}}
	_, err = Verify(of, saved, "alice", 1, signers, time.Now())
	require.ErrorContains(t, err, `has 0; site:dc1: line 2 gives the role "rocec-approve" to site:dc1, which is a site and no person`)
	of.Submitted.Signature = string(site.Sign(sshsig.RoleApply, of.Submission(), 1))
	_, err = Verify(of, saved, "site:dc1", 1, signers, time.Now())
	require.ErrorContains(t, err, `the role "rocec-apply" to site:dc1, which is a site and no person`)
}
