package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
)

// dump prints everything that can be read from a device, except its clock.
const dump = `
walk() {
	for f in "$1"/* "$1"/.[!.]*; do
		if [ -h "$f" ]; then
			printf '%s -> %s\n' "$f" "$(readlink "$f")"
		elif [ -d "$f" ]; then
			stat -c '%n %a %u %g' "$f"
			walk "$f"
		elif [ -f "$f" ] && [ "$f" != /proc/uptime ]; then
			stat -c '%n %a %u %g %s %h' "$f"
			cat "$f" 2>&1
		fi
	done
}
for top in /etc /home /root /run /var /tmp /proc /sys /cumulus /usr/local; do walk "$top"; done
for dev in /sys/class/net/*; do
	ethtool -S "${dev##*/}" 2>&1
	ethtool -a "${dev##*/}" 2>&1
	for what in app buffer dcbx ets maxrate pfc; do dcb "$what" show dev "${dev##*/}" 2>&1; done
done
ip -d link show 2>&1
rdma link 2>&1
for unit in /etc/systemd/system/*.service; do systemctl status "${unit##*/}" 2>&1; done
`

// TestKept: after a lab was closed and opened again, the simulated parts of every kind of device give the same answers and have the same
// settings.
func TestKept(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"rack-v1-pfc", "clos-v2-ecn", "storage-and-training", "bonded-pair"} {
		t.Run(example, func(t *testing.T) {
			a := newApp(&person.Person{Getenv: func(string) string { return "" }})
			f, err := a.Load("../../examples/" + example)
			require.NoError(t, err)
			tree, kinds := &target.Tree{}, map[string]bool{}
			for _, d := range f.Tree().Devices {
				if kind := d.Group + d.About; !kinds[kind] && d.Target.Image != nil {
					kinds[kind] = true
					tree.Devices = append(tree.Devices, d)
				}
			}
			dir := t.TempDir()
			l, err := lab.Open(dir, tree, "a test")
			require.NoError(t, err)
			before := map[string]string{}
			for _, td := range tree.Devices {
				d := l.Device(td.Name)
				for _, file := range td.Files {
					if file.Live == nil {
						have, _ := d.ReadFile(file.Path)
						content, diags := file.Edit(have)
						require.Empty(t, diags)
						d.WriteFile(file.Path, content, file.Mode)
					}
				}
				for _, file := range td.Files {
					_, said, status := d.Run(t.Context(), "root", file.Activate.Cmd, "")
					require.Zero(t, status, said)
				}
				out, said, _ := d.Run(t.Context(), "root", dump, "")
				require.Empty(t, said)
				require.Greater(t, len(out), 2000)
				before[td.Name] = out
			}
			require.NoError(t, l.Close())

			l, err = lab.Open(dir, tree, "a test")
			require.NoError(t, err)
			for _, td := range tree.Devices {
				d := l.Device(td.Name)
				out, _, _ := d.Run(t.Context(), "root", dump, "")
				require.Equal(t, before[td.Name], out)
				d.Reboot()
				after, _, _ := d.Run(t.Context(), "root", dump, "")
				require.NotEqual(t, out, after, "the boot id, at least")
				for _, file := range td.Files {
					require.Eventually(t, func() bool { // repeated until it is true
						_, _, status := d.Run(t.Context(), "root", file.Activate.Loaded.Cmd, "")
						return status == 0
					}, 10*time.Minute, 10*time.Millisecond)
				}
			}
			require.NoError(t, l.Close())
		})
	}
}
