package pages

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/docstest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

var whole = flag.Bool("whole", false, "run every command in prose, not just one of those that differ only in names")

// proseFabric has the devices whose names commands in prose contain.
const proseFabric = `
variable "leaves" {
  default = 4
}

variable "racks" {
  type    = list(string)
  default = []
}

fabric "pod" {
  routing = "up-down"
}

cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}

roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}

switch "leaf" {
  names   = "leaf[01-03]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names   = "spine[01-02]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 2
}

host "gpu" {
  names = "gpu[001-004,017]"

  nic "ens1f0" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}

link "gpus" {
  a      = "gpu[001-004,017]:ens1f0"
  b      = ["leaf[01-03]:swp1", "leaf01:swp[3,7]"]
  length = "3m"
}

mesh "uplinks" {
  lower  = "leaf[01-03]:swp[31-32]"
  upper  = "spine[01-02]:swp[1-3]"
  length = "30m"
}
`

// inProse describes how a command in prose runs.
type inProse struct {
	dir    string // working folder; empty: the folder of proseFabric
	before string // the commands that a person has run before
	exit   int    // its status
	name   bool   // it only names a verb, and is too short to run
	reads  bool   // it changes nothing, and shares a folder with other commands that have the same before
}

const (
	onLab       = "rocec apply --lab --auto-approve --soak 0s --no-canary"
	drafted     = "rocec init pod1"
	cabled      = `printf 'graph G {\n"leaf1":"swp1" -- "gpu1":"ens1f0"\n"leaf1":"swp31" -- "spine1":"swp1"\n}\n' >topology.dot`
	withReports = onLab + ` &&
for h in gpu001 gpu002 gpu003 gpu004 gpu017; do rocec lab exec $h "rocec-host check --json" >$h.json || exit; done`
	upgrading = "examples/mixed-releases"
	committed = "git init -q . && git add -A && git -c user.name=x -c user.email=x@example.com commit -q -m first"
	reimaged  = onLab + " && rocec lab reset --var upgraded=leaf1 --device leaf1"
	collected = `mkdir -p collected/spine1 && rocec build -o out &&
cp out/leaf01/etc/cumulus/datapath/traffic.conf collected/leaf01-traffic.conf &&
rocec build -o nvue examples/gpu-pod && cp nvue/spine1/etc/rocec/nvue.yaml startup.yaml && cp startup.yaml collected/spine1 &&
rocec build -o sonic examples/sonic-leaf-spine && cp sonic/spine1/etc/rocec/config_db.json . &&
cp config_db.json collected/tor7-config_db.json`
	site = `mkdir -p collected && rocec build -o out && cp out/leaf01/etc/cumulus/datapath/traffic.conf collected/leaf01-traffic.conf &&
printf '{"lldp": {"interface": [%s, %s]}}' \
	'{"swp1": {"chassis": {"gpu001": {}}, "port": {"id": {"type": "ifname", "value": "ens1f0"}}}}' \
	'{"swp31": {"chassis": {"gpu002": {}}, "port": {"id": {"type": "ifname", "value": "ens1f0"}}}}' >collected/leaf01-lldp.json`
)

// siteCables is a sheet of the site's cables.
const siteCables = ` && printf 'a,b,length\nleaf01:swp1,gpu001:ens1f0,3m\n' >cables.csv`

// specialInProse has the commands that need more than a run with exit status 0 on a fabric that no device has yet.
var specialInProse = map[string]inProse{
	"rocec build": {name: true},

	"rocec show examples/rack-v1-pfc tor1:swp1":      {},
	"rocec trace examples/rack-v1-pfc store1 store5": {},
	"rocec whatif examples/ring-pfc-loop --loop 1":   {},
	"rocec whatif":          {exit: 64}, // it names no question
	"rocec whatif --loop 1": {exit: 64}, // the fabric has no circle
	"rocec whatif --loop 8": {exit: 64},

	"rocec init":                          {dir: "new"},
	"rocec init --from topology.dot .":    {dir: "new", before: cabled},
	"rocec init --from topology.dot pod1": {before: cabled},
	`rocec init --from cables.csv --columns a="Von Dose" --columns b="Nach Dose" pod1`: {
		before: `printf 'Von Dose,Nach Dose\nleaf1:swp1,gpu1:ens1f0\nleaf1:swp31,spine1:swp1\n' >cables.csv`,
	},
	"rocec init --from cables.csv --from devices.csv --from front-ports.csv pod1": {
		before: `printf 'name,role,device_type\nleaf1,Leaf,SN2700\n' >devices.csv &&
printf 'device,name,rear_port,rear_port_position\np1,1,R,1\np2,1,R,1\n' >front-ports.csv &&
printf '%s\n' a_device,a_port,a_type,b_device,b_port,b_type leaf1,swp1,dcim.interface,p1,1,dcim.frontport \
	p1,R,dcim.rearport,p2,R,dcim.rearport p2,1,dcim.frontport,gpu1,ens1f0,dcim.interface \
	leaf1,swp2,dcim.interface,gpu2,ens1f0,dcim.interface >cables.csv`,
	},
	"rocec init --from cables.csv --columns a=From,b=To pod1": {
		before: `printf 'From,To\nleaf1:swp1,gpu1:ens1f0\nleaf1:swp31,spine1:swp1\n' >cables.csv`,
	},
	"rocec init --from 'netbox:https://netbox.example.net?site=ams1' ams1": {exit: 64}, // the environment has no token

	"rocec build pod1 -o out":   {before: drafted},
	"rocec plan pod1":           {before: drafted},
	"rocec validate pod1":       {before: drafted},
	"rocec validate --why pod1": {before: drafted},
	"rocec verify pod1":         {before: drafted + " && " + onLab + " pod1"},

	"rocec diff":                            {before: committed},
	"rocec diff origin/main... --format md": {before: committed + " && git update-ref refs/remotes/origin/main HEAD"},

	"rocec lab load collected": {
		dir: upgrading, before: "mkdir collected && rocec build -o out . >/dev/null && cp -r out/leaf1 collected/leaf1",
	},
	"rocec lab load site.tar.gz": {
		dir: upgrading, before: "rocec build -o out . >/dev/null && rocec collect out -o site.tar.gz",
	},
	"rocec collect":           {name: true},
	"rocec collect collected": {before: site, exit: 64}, // the command names no snapshot
	"rocec collect leaf01 leaf02 spine1 -o site.tar.gz": {exit: 3}, // no such device answers
	"rocec collect leaf01 -o site.tar.gz":               {exit: 3},
	"rocec collect inventory.yaml --mask -o site.tar.gz": {
		before: `printf 'all:\n  hosts:\n    leaf01: {ansible_host: 127.0.0.1, ansible_port: 1}\n' >inventory.yaml`, exit: 3,
	},

	"rocec audit site.tar.gz":                             {before: site + " && rocec collect collected -o site.tar.gz"},
	"rocec audit collected":                               {before: site},
	"rocec audit --format json collected > audit.json":    {before: site},
	"rocec init --from collected site1":                   {before: site},
	"rocec init --from collected --from cables.csv site1": {before: site + siteCables},
	"rocec audit --cabling cables.csv collected":          {before: site + siteCables},
	"rocec audit --demo":                                  {exit: 1},
	"rocec trace --from collected gpu001 gpu002":          {before: site},
	"rocec show --from collected leaf01:swp1":             {before: site},
	"rocec trace --from site.tar.gz gpu001 gpu002":        {before: site + " && rocec collect collected -o site.tar.gz"},
	"rocec show --from site.tar.gz leaf01:swp1":           {before: site + " && rocec collect collected -o site.tar.gz"},

	"rocec audit --write-baseline known.hcl collected":    {before: site},
	"rocec audit --write-baseline topology.dot collected": {before: site},
	"rocec audit --baseline known.hcl --format md --by owner collected": {
		before: site + " && rocec audit --write-baseline known.hcl collected",
	},

	"rocec validate --device-config startup.yaml":   {before: collected},
	"rocec validate --device-config config_db.json": {before: collected},
	"rocec validate --device-config collected":      {before: collected},
	"rocec validate --device-config .":              {before: collected},
	"rocec validate . --device-config .":            {before: collected},
	"rocec validate . --device-config collected":    {before: collected},
	"rocec show leaf01 --device-config collected":   {before: collected},
	"rocec show . gpu017 --device-config collected": {
		before: "mkdir -p collected/gpu017 && printf '$ dcb pfc show dev ens1f0\\n" +
			"prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\\n' >collected/gpu017/linux.txt",
	},
	"rocec show . leaf01 --device-config .": {
		before: "rocec build -o out && cp out/leaf01/etc/cumulus/datapath/traffic.conf leaf01-traffic.conf && rm -r out",
	},

	"rocec validate --var leafs=8":                           {exit: 1}, // the examples of two codes
	"rocec validate --var racks=a,b":                         {exit: 1},
	"rocec graph -o failover.svg examples/failover-pfc-loop": {exit: 1},
	"rocec build --as handover -o sheets":                    {dir: "examples/bonded-pair"},

	"rocec confirm last":                   {before: onLab + " --confirm 10m"},
	"rocec confirm last --target leaf01":   {before: onLab + " --confirm 10m"},
	"rocec rollback last --target leaf01":  {before: onLab},
	"rocec resume last":                    {before: onLab, reads: true},
	"rocec resume last --undrain true":     {before: onLab + " --undrain true"},
	"rocec rollback last":                  {before: onLab},
	"rocec runs last":                      {before: onLab, reads: true},
	"rocec verify":                         {before: onLab, reads: true},
	"rocec verify --format json":           {before: onLab, reads: true},
	"rocec verify --format openmetrics":    {before: onLab, reads: true},
	"rocec verify --target leaf01":         {before: onLab, reads: true},
	"rocec selftest --level 2":             {before: onLab},
	"rocec selftest --level 3":             {before: onLab},
	"rocec selftest --judge topology.dot":  {before: "rocec selftest --lab=new --out topology.dot --auto-approve"},
	"rocec storm":                          {before: onLab, reads: true},
	"rocec storm --format json":            {before: onLab, reads: true},
	"rocec verify --traffic":               {before: onLab, reads: true},
	"rocec verify --traffic=gpu001,gpu002": {before: onLab, reads: true},
	"rocec apply --remove gpu017":          {before: onLab + ` && sed -i 's/,017\]/]/; s/\[3,7\]/3/' fabric.hcl`},
	"rocec verify --from .":                {before: withReports},
	"rocec verify --from collected":        {before: "rocec build -o collected"},
	"rocec verify . --from collected":      {before: "rocec build -o collected"},

	"rocec apply --var upgraded=leaf1 --target leaf1":           {dir: upgrading, before: reimaged},
	"rocec build --var upgraded=leaf1 --target leaf1 --out ztp": {dir: upgrading},
	"rocec lab reset --device leaf1":                            {dir: upgrading, before: onLab},
	"rocec apply --var upgraded=leaf1 --replace leaf1":          {dir: upgrading, before: reimaged},
	"rocec verify --var upgraded=leaf1 --target leaf1":          {dir: upgrading, before: onLab + " --var upgraded=leaf1"},

	// A plan can only be saved for real devices; devices_test.go does that.
	"rocec plan --out change.plan":                                      {exit: 64},
	"rocec approve change.plan":                                         {exit: 64},
	"rocec approve change.plan --sign-key ~/.ssh/id_ed25519_sk":         {exit: 64},
	`rocec apply --plan change.plan -m "ticket 4711" --not-after 05:30`: {exit: 64},

	// Simulated devices run no gate.
	"rocec gate --install --target leaf01":             {exit: 64},
	"rocec gate --remove --sign-key ~/.ssh/id_ed25519": {exit: 64},

	"rocec plan --lab --policy topology.dot": {before: "echo 'approvals = 1' >topology.dot && chmod 600 topology.dot"},
	"rocec runs --check --devices":           {exit: 1}, // the devices have no addresses

	"rocec lsp": {exit: 1}, // an editor that ends at once
}

// verbAndFlags returns a command without its names and values.
func verbAndFlags(command string) string {
	words := strings.Fields(command)
	kept := words[:2:2]
	for _, word := range words[2:] {
		if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(word, "-") {
			kept = append(kept, name)
		}
	}
	return strings.Join(kept, " ")
}

// TestCommandsInProse runs every command of testdata/commands.txt: in a separate folder with a fabric that has the named devices.
// Commands that reach devices run on a lab.
func TestCommandsInProse(t *testing.T) {
	machinetest.Long(t)
	if testing.Short() {
		t.Skip("applies to labs")
	}
	list, err := os.ReadFile("testdata/commands.txt")
	require.NoError(t, err)
	pages := map[string]string{} // by command
	for line := range strings.Lines(string(list)) {
		command, page, ok := strings.Cut(strings.TrimSpace(line), "\t")
		require.True(t, ok, line)
		pages[command] = page
	}
	for command := range specialInProse {
		require.Contains(t, pages, command, "the command is on no page")
	}
	run := func(t *testing.T, s *docstest.Typist, command string) {
		status, out, errs := s.Types(t, docstest.Rehearsed(command))
		assert.Equal(t, specialInProse[command].exit, status, "%s: %s\n%s%s", pages[command], command, out, errs)
	}
	alone, together := map[string]bool{}, map[string][]string{} // by verb and flags, and by the commands before
	for _, command := range slices.Sorted(maps.Keys(pages)) {
		how, special := specialInProse[command]
		if how.name {
			continue
		}
		if how.reads {
			together[how.before] = append(together[how.before], command)
			continue
		}
		if alike := verbAndFlags(command); !special && !*whole {
			if alone[alike] {
				continue // TestCommandsOfPages has checked its words
			}
			alone[alike] = true
		}
		t.Run(command, func(t *testing.T) {
			t.Parallel() // many commands wait for devices
			run(t, ready(t, how), command)
		})
	}
	for before, commands := range together {
		t.Run("after "+before, func(t *testing.T) {
			t.Parallel()
			s := ready(t, inProse{before: before})
			for _, command := range commands {
				run(t, s, command)
			}
		})
	}
}

// ready returns a person in a folder in which all commands before a command have run.
func ready(t *testing.T, how inProse) *docstest.Typist {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "top")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../../examples")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "new"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(proseFabric), 0o644))
	s := &docstest.Typist{Top: dir, Dir: filepath.Join(dir, how.dir), Rocec: machinetest.Rocec(t)}
	if how.before != "" {
		status, out, errs := s.Types(t, how.before)
		require.Zero(t, status, "%s\n%s%s", how.before, out, errs)
	}
	return s
}
