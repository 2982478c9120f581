package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// proseFabric has the devices that commands in prose name.
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

// standsFor is what words in capitals stand for.
var standsFor = map[string]string{
	"DIR": ".", "PATH": ".", "FILE": "topology.dot", "OUT": "out",
	"NAME": "leaf01", "DEVICE": "leaf01", "PORT": "swp1", "DEVICE:PORT": "leaf01:swp1", "HOST": "gpu017",
	"A": "gpu001", "B": "gpu002", "A,B": "gpu001,gpu002",
	"RUN": "last", "COMMAND": "true", "CODE": "pfc-loop", "PAGE": "apply", "VERB": "plan", "PROGRAM": "true",
	"FORM": "ansible", "FORMAT": "sarif", "SHAPE": "rail", "N": "8", "OS": "sonic",
}

var (
	optionalPart = regexp.MustCompile(`\[[^][]*\]`)
	capitals     = regexp.MustCompile(`^[A-Z][A-Z:,]*$`)
)

// concrete is a command of prose with something for what words stand for: the first of several forms, without what is optional.
func concrete(t *testing.T, command string) string {
	for optionalPart.MatchString(command) {
		command = optionalPart.ReplaceAllString(command, "")
	}
	command, _, _ = strings.Cut(command, " | ")
	var words []string
	for word := range strings.FieldsSeq(command) {
		flag, value, _ := strings.Cut(word, "=")
		word = strings.TrimRight(word, ".…")
		if capitals.MatchString(word) {
			require.Contains(t, standsFor, word, command)
			word = standsFor[word]
		} else if strings.HasPrefix(flag, "--") && capitals.MatchString(value) {
			word = flag + "=" + standsFor[value]
		} else if !strings.Contains(word, "'") {
			word, _, _ = strings.Cut(word, "|")
		}
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// inProse is how a command of prose is run.
type inProse struct {
	dir    string // where; empty: the folder of proseFabric
	before string // what a person has done by then
	exit   int    // its status
	name   bool   // it names a verb, and says too little to be run
}

const (
	onLab       = "rocec apply --lab --auto-approve --soak 0s --no-canary"
	drafted     = "rocec init pod1"
	cabled      = `printf 'graph G {\n"leaf1":"swp1" -- "gpu1":"ens1f0"\n"leaf1":"swp31" -- "spine1":"swp1"\n}\n' >topology.dot`
	withReports = onLab + ` &&
for h in gpu001 gpu002 gpu003 gpu004 gpu017; do rocec lab exec $h "rocec-host check --json" >$h.json || exit; done`
	upgrading = "examples/mixed-releases"
	reimaged  = onLab + " && rocec lab reset --var upgraded=leaf1 --device leaf1"
	collected = `mkdir -p collected/spine1 && rocec build -o out &&
cp out/leaf01/etc/cumulus/datapath/traffic.conf collected/leaf01-traffic.conf &&
rocec build -o nvue examples/gpu-pod && cp nvue/spine1/etc/rocec/nvue.yaml startup.yaml && cp startup.yaml collected/spine1 &&
rocec build -o sonic examples/sonic-leaf-spine && cp sonic/spine1/etc/rocec/config_db.json . &&
cp config_db.json collected/tor7-config_db.json`
)

// specialInProse says it of the commands that are not just run, from nothing: with 0, on a fabric that no device holds yet.
var specialInProse = map[string]inProse{
	"rocec build":        {name: true},
	"rocec build --fold": {name: true},

	"rocec init":                              {dir: "new"},
	"rocec init --from ptm topology.dot .":    {dir: "new", before: cabled},
	"rocec init --from ptm topology.dot pod1": {before: cabled},
	`rocec init --from csv --columns a="Von Dose" --columns b="Nach Dose" cables.csv pod1`: {
		before: `printf 'Von Dose,Nach Dose\nleaf1:swp1,gpu1:ens1f0\nleaf1:swp31,spine1:swp1\n' >cables.csv`,
	},
	"rocec plan pod1":           {before: drafted},
	"rocec validate pod1":       {before: drafted},
	"rocec validate --why pod1": {before: drafted},

	"rocec validate --device-config startup.yaml":   {before: collected},
	"rocec validate --device-config config_db.json": {before: collected},
	"rocec validate --device-config collected":      {before: collected},

	"rocec validate --var leafs=8":                           {exit: exitErrors}, // the examples of two codes
	"rocec validate --var racks=a,b":                         {exit: exitErrors},
	"rocec graph -o failover.svg examples/failover-pfc-loop": {exit: exitErrors},
	"rocec build --as handover -o sheets":                    {dir: "examples/bonded-pair"},

	"rocec confirm last":                   {before: onLab + " --confirm 10m"},
	"rocec resume last":                    {before: onLab},
	"rocec resume last --undrain true":     {before: onLab + " --undrain true"},
	"rocec rollback last":                  {before: onLab},
	"rocec runs last":                      {before: onLab},
	"rocec verify":                         {before: onLab},
	"rocec verify --format json":           {before: onLab},
	"rocec verify --traffic":               {before: onLab},
	"rocec verify --traffic=gpu001,gpu002": {before: onLab},
	"rocec remove gpu017":                  {before: onLab + ` && sed -i 's/,017\]/]/; s/\[3,7\]/3/' fabric.hcl`},
	"rocec verify --from .":                {before: withReports},

	"rocec apply --var upgraded=leaf1 --target leaf1":           {dir: upgrading, before: reimaged},
	"rocec build --var upgraded=leaf1 --target leaf1 --out ztp": {dir: upgrading},
	"rocec lab reset --device leaf1":                            {dir: upgrading, before: onLab},
	"rocec replace --var upgraded=leaf1 leaf1":                  {dir: upgrading, before: reimaged},
	"rocec verify --var upgraded=leaf1 --target leaf1":          {dir: upgrading, before: onLab + " --var upgraded=leaf1"},

	// A plan is saved for real devices alone, as devices_test.go does.
	"rocec plan --out change.plan":                                      {exit: exitUsage},
	`rocec apply --plan change.plan -m "ticket 4711" --not-after 05:30`: {exit: exitUsage},

	"rocec lsp": {exit: 1}, // an editor that goes without a word
}

// TestCommandsInProse runs every command of rocec in a line of prose that says enough to be run: in a folder of its own with a fabric that
// has the devices they name, on a lab where they reach devices. The others name a verb, which TestCommandsOfPages looks up.
func TestCommandsInProse(t *testing.T) {
	if testing.Short() {
		t.Skip("applies to labs")
	}
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	codes, err := filepath.Glob("../../docs/checks/*.md")
	require.NoError(t, err)
	pages := map[string][]string{} // by command
	for _, file := range append(append(files, codes...), "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range inlineCommand.FindAllSubmatch(text, -1) {
			command := strings.ReplaceAll(concrete(t, string(m[1])), "/share/reports", ".")
			if callable(t, rocecCalls(t, command)[0], true) == nil && !specialInProse[command].name {
				pages[command] = append(pages[command], filepath.Base(file))
			}
		}
	}
	require.Greater(t, len(pages), 80)
	for command := range specialInProse {
		require.True(t, specialInProse[command].name || pages[command] != nil, "%s is on no page", command)
	}
	for _, command := range slices.Sorted(maps.Keys(pages)) {
		t.Run(command, func(t *testing.T) {
			t.Parallel() // many wait for devices
			how := specialInProse[command]
			dir := filepath.Join(t.TempDir(), "top")
			require.NoError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")))
			require.NoError(t, os.Mkdir(filepath.Join(dir, "new"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(proseFabric), 0o644))
			s := &typist{top: dir, dir: filepath.Join(dir, how.dir)}
			if how.before != "" {
				status, out, errs := s.types(t, how.before)
				require.Zero(t, status, "%s\n%s%s", how.before, out, errs)
			}
			status, out, errs := s.types(t, rehearsed(command))
			assert.Equal(t, how.exit, status, "%s: %s\n%s%s", strings.Join(pages[command], ", "), command, out, errs)
		})
	}
}
