package replay

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/texttest"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// TestWayBack: on every system a device that goes back reports whether it uses the earlier content, and the objections of the vendor's
// checker. Without a confirmation the result is unknown.
func TestWayBack(t *testing.T) {
	machinetest.Long(t)
	const usesIt = "The device uses it."
	const reload = " is unknown (not readable on this release)."
	of := func(role target.Role, hcl string) func(t *testing.T) *target.Tree {
		return func(t *testing.T) *target.Tree { return judgetest.First(t, judgetest.Tree(t, hcl), role) }
	}
	for name, c := range map[string]struct {
		tree   func(t *testing.T) *target.Tree
		says   string // after a requested undo
		atBoot string
		checks bool // the system has a checker of single files
	}{
		"traffic.conf, restart": {
			of(target.Switch, judgetest.Rack(`version = "4.2.1"`)), usesIt, usesIt, true,
		},
		"traffic.conf, reload": {of(target.Switch, judgetest.Rack(`version = "4.3.0"`)), reload, reload, true},
		"two files":            {of(target.Switch, judgetest.Rack(`version = "5.3.1"`)), reload, reload, true},
		"NVUE": {
			of(target.Switch, judgetest.Rack(`version = "5.14.0"`)), usesIt, usesIt, false,
		},
		"SONiC": {
			of(target.Switch, judgetest.SONiCRack("202505")), usesIt, usesIt, false,
		},
		"host": {
			of(target.Host, judgetest.Rack(`version = "4.3.0"`)),
			"Whether the device uses it is unknown. " +
				"During the undo, the device printed: rocec-host: ens1f0: DCBX stays with the host", usesIt, false,
		},
	} {
		for _, boot := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", boot"}[boot], func(t *testing.T) {
				t.Parallel()
				tree := c.tree(t)
				d := tree.Devices[0]
				for i := range d.Files {
					if f := &d.Files[i]; c.checks {
						require.NotEmpty(t, f.Precheck)
						onlyRocec(f)
					} else {
						require.Empty(t, f.Precheck)
					}
				}
				b := labtest.New(t, tree)
				before := b.Plan(t)
				plan := &deploy.Plan{Devices: []*deploy.DevicePlan{before}}
				o := rollout.ApplyOptions{
					Run: deploy.Run{Name: "txn-1", Key: "abcd"}, Hold: 10 * time.Minute, Soak: new(time.Duration),
					Clock: rollout.Clock{Now: time.Now, Wait: time.After},
				}
				rep, err := rollout.Apply(t.Context(), b.Dial, plan, o)
				require.NoError(t, err)
				r := rep.Devices[0]
				require.Equal(t, deploy.Unconfirmed, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				require.Empty(t, texttest.Untrue(r))
				want, says := deploy.Restored, c.says
				if boot {
					b.Reboot()
					want, says = deploy.Reverted, c.atBoot
				}
				rep, err = rollout.Resume(t.Context(), b.Dial, plan, txn.Back, o)
				require.NoError(t, err)
				r = rep.Devices[0]
				require.Equal(t, want, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				require.Contains(t, r.Text(), says)
				require.Empty(t, texttest.Untrue(r))
				require.Equal(t, says == usesIt, r.InUse == deploy.UseYes, r.Text())
				require.Equal(t, c.checks, r.Objected(), r.Text())
				for _, f := range r.Files {
					if c.checks {
						require.Equal(t, "line 1: not by rocec", f.Refused)
					}
				}
				sameAs(t, b.Plan(t), before, r)
			})
		}
		t.Run(name+", kept", func(t *testing.T) {
			t.Parallel()
			tree := c.tree(t)
			for i := range tree.Devices[0].Files {
				if c.checks {
					onlyRocec(&tree.Devices[0].Files[i])
				}
			}
			b := labtest.New(t, tree)
			before := b.Plan(t)
			require.Equal(t, deploy.Applied, labtest.Apply(t, tree, b.Dial).Devices[0].Outcome)
			var h journal.Header
			Write(&h, &deploy.Plan{Devices: []*deploy.DevicePlan{before}}, nil)
			h.Format = journal.Format
			back := Read(&h, func(hash string) ([]byte, error) {
				for _, c := range before.Changes {
					if deploy.Sum(c.Before) == hash {
						return c.Before, nil
					}
					if deploy.Sum(c.After) == hash {
						return c.After, nil
					}
				}
				for _, s := range before.States {
					if deploy.Sum(s.Text) == hash {
						return s.Text, nil
					}
				}
				return nil, errors.New("not kept")
			}).Back(h.Devices)
			for i := range back.Devices {
				require.Empty(t, back.Devices[i].Given.Not)
				back.Devices[i].Given = nil // the run has no journal
				for j := range back.Devices[i].Files {
					if f := &back.Devices[i].Files[j]; c.checks {
						onlyRocec(f) // the test's own checker has no name
					}
				}
			}
			r := labtest.Apply(t, back, b.Dial, func(o *rollout.ApplyOptions) { o.Run.Name = "txn-2" }).Devices[0]
			require.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			require.Empty(t, texttest.Untrue(r))
			require.Equal(t, c.says == usesIt, r.InUse == deploy.UseYes, r.Unread)
			require.Equal(t, c.checks, r.Objected(), r.Text())
			sameAs(t, b.Plan(t), before, r)
		})
	}
}

// onlyRocec makes the checker of a file also refuse content without the settings of rocec.
func onlyRocec(f *target.File) {
	f.Precheck = "(\n" + f.Precheck + `
) || exit 1
grep -qE '^ingress_service_pool.1.percent = 50|roce_pfc' "$1" || { echo 'line 1: not by rocec'; exit 1; }`
}

// sameAs checks that files have their earlier content, and live states too, if the device reported them.
func sameAs(t *testing.T, after, before *deploy.DevicePlan, r *deploy.Result) {
	t.Helper()
	require.Len(t, after.Changes, len(before.Changes))
	for i, c := range before.Changes {
		if !c.Live() || r.InUse == deploy.UseYes {
			require.Equal(t, c.Base, after.Changes[i].Base, c.Path)
		}
	}
}
