//go:build linux

package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// readTwice contains the outputs of rocec for a live read of a device, and for a read from a snapshot.
type readTwice struct {
	state string // name of the device
	live  *ran   // verify
	saved *ran   // collect
	files []string
	filed *ran // verify --from
	beside,
	audit *ran
}

// readTwice reads a device live, saves it over SSH with the host key of the fabric, and reads the snapshot.
func (o *operator) readTwice(ctx context.Context, state string) (*readTwice, error) {
	site := o.dir + "/" + state
	r := &readTwice{state: state}
	for _, one := range []struct {
		into **ran
		args []string
	}{
		{&r.live, []string{"verify", "--since", "boot", "--target", o.device, "--format", "json"}},
		{&r.saved, []string{"collect", ".", "--target", o.device, "-o", site}},
		{&r.filed, []string{"verify", "--from", site, "--target", o.device, "--format", "json"}},
		{&r.beside, []string{"validate", ".", "--device-config", site}},
		{&r.audit, []string{"audit", site}},
	} {
		result, err := o.run(ctx, one.args...)
		if err != nil {
			return nil, err
		}
		*one.into = result
	}
	entries, err := os.ReadDir(filepath.Join(site, o.device))
	for _, e := range entries {
		r.files = append(r.files, e.Name())
	}
	return r, err
}

// lldpctl simulates the program of LLDP, which reports the other end of the cable in the fabric.
const lldpctl = `#!/bin/sh
echo '{"lldp": {"interface": [{"%s": {"chassis": {"%s": {}}, "port": {"id": {"type": "ifname", "value": "%s"}}}}]}}'
`

// snapshot reports whether devices of a kind are read twice. Without -whole these are one kind of switch and the host.
func (r *reference) snapshot() bool { return !slice() || r.kind != nspawn.Switch37 }

// learnSnapshot reads a device live and from a snapshot, after an apply and again after a change by another user. It also runs collect
// with an unknown host key.
func (r *reference) learnSnapshot(ctx context.Context, d *nspawn.Device, o *operator) error {
	if !r.snapshot() {
		return nil
	}
	neighbour := []any{"swp1", "gpu1", "ens1f0"}
	if r.kind == nspawn.Host {
		neighbour = []any{"ens1f0", "tor1", "swp1"}
	}
	const path = "/usr/local/bin/lldpctl"
	if err := d.WriteFile(path, fmt.Appendf(nil, lldpctl, neighbour...)); err != nil {
		return err
	}
	if _, err := d.Exec("chmod 755 " + path); err != nil {
		return err
	}
	applied, err := o.readTwice(ctx, "applied")
	if err != nil {
		return err
	}
	if r.kind == nspawn.Host {
		_, err = d.Exec("dcb pfc set dev ens1f0 prio-pfc 4:off 5:on")
	} else {
		err = d.EditFile(r.edited, r.edit, nspawn.InPlace).Fired()
	}
	if err != nil {
		return err
	}
	changed, err := o.readTwice(ctx, "changed")
	if err != nil {
		return err
	}
	r.read = []*readTwice{applied, changed}
	r.stranger, err = o.run(ctx, "collect", d.User+"@"+d.Addr, "-o", o.dir+"/stranger")
	return err
}

// verified contains the parts of a device in a document of verify that this test uses.
type verified struct {
	Status      string
	Unsound     bool
	Changes     []struct{ Path string }
	Differences []difference
}

// difference is a setting that differs from the fabric.
type difference struct {
	Setting, What string
	Ports         []string
	Read, Wanted  string
}

func verifiedOf(t *testing.T, r *ran) *verified {
	t.Helper()
	var doc struct{ Devices []*verified }
	require.NoError(t, json.Unmarshal([]byte(r.out), &doc), r)
	require.Len(t, doc.Devices, 1, r)
	return doc.Devices[0]
}

// A snapshot of a real machine has the same result as a live read. Each setting that differs has the same values, or is listed as missing
// in the files. A device with an unknown host key is not read.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	for _, r := range learn(t) {
		if !r.snapshot() {
			continue
		}
		t.Run(r.kind.Name, func(t *testing.T) {
			require.Len(t, r.read, 2)
			main := map[bool]string{true: "host.txt", false: "traffic.conf"}[r.kind == nspawn.Host]
			for _, one := range r.read {
				require.Zero(t, one.saved.status, one.saved)
				require.Subset(t, one.files, []string{main, "hostname", "lldp.json"}, one.saved)
				live, filed := verifiedOf(t, one.live), verifiedOf(t, one.filed)
				assert.Subset(t, live.Differences, filed.Differences, "%s", one.live.args)
				_, unstated, _ := strings.Cut(one.beside.out, "do not state ")
				for _, d := range live.Differences {
					if !slices.ContainsFunc(filed.Differences, func(f difference) bool { return assert.ObjectsAreEqual(d, f) }) {
						assert.Contains(t, unstated, d.Setting+" at ", "%s", one.beside)
					}
				}
				if one.state == "applied" {
					assert.Empty(t, live.Differences, one.live)
					assert.Empty(t, live.Changes, one.live)
					assert.Contains(t, []string{"good", "other"}, filed.Status, one.filed) // the tools of a host do not print all settings
				} else {
					assert.NotEmpty(t, filed.Differences, one.filed)
					assert.Equal(t, live.Status, filed.Status, one.filed)
				}
			}
			if r.kind != nspawn.Host {
				assert.Contains(t, r.read[0].audit.out, "lossless on 1 of 1 cable; free of PFC loops", r.read[0].audit)
			}
			assert.Equal(t, 3, r.stranger.status, r.stranger)
			assert.Contains(t, r.stranger.errs, "the host key of ", r.stranger)
			assert.Contains(t, r.stranger.errs, "is not known", r.stranger)
		})
	}
}
