package forms

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/sheets"
	"github.com/rocec/rocec/targets/target/lint"
)

var update = flag.Bool("update", false, "write the sheets of testdata")

// Each host has another system, and its sheet equals the file in testdata.
func TestSheets(t *testing.T) {
	l := layoutOf(t, "handover", "testdata/systems")
	var names []string
	for _, f := range l.Files {
		name := regexp.MustCompile(`\[.*\]`).ReplaceAllString(f.Name, "")
		names = append(names, name)
		file := filepath.Join("testdata/sheets", name)
		if *update {
			require.NoError(t, os.WriteFile(file, f.Content(), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(f.Content()), name)
	}
	written := regexp.MustCompile(`> (\w+\.txt)|Out-File (\w+\.txt)`)
	for _, f := range l.Files {
		for _, m := range written.FindAllStringSubmatch(string(f.Content()), -1) {
			assert.True(t, targets.Searched(lint.File{Name: "host1/" + m[1] + m[2]}, false), "%s writes %s, which no folder is searched for",
				f.Name, m[1]+m[2])
		}
	}
	files, err := os.ReadDir("testdata/sheets")
	require.NoError(t, err)
	assert.Len(t, files, len(names), "a sheet of an earlier run")
	for _, system := range sheets.Names() {
		assert.Contains(t, readAll(t, "testdata/systems/fabric.hcl"), `"`+system+`"`, "no host of testdata has the system")
	}
}

func readAll(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

// The commands of a sheet set the values that the fabric wants. The system's output afterwards shows this.
func TestSheetsReadBack(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("testdata/systems"), ".", judge.Options{}).Fabric
	seen := 0
	for _, d := range f.Devices {
		if d.ByHand == nil || printers[d.ByHand.System] == nil {
			continue
		}
		seen++
		sheet := string(sheets.Of(d))
		printed := printers[d.ByHand.System](t, sheet)
		read, why := targets.ReadDevice(d, []lint.File{{Name: d.Name + "/printed.txt", Data: []byte(printed)}})
		require.Empty(t, why, printed)
		assert.Empty(t, read.Coverage.Not, d.Name)
		c := read.Compare("")
		assert.Empty(t, c.Values, d.Name)
		assert.Positive(t, c.Compared)
		other, why := targets.ReadDevice(d, []lint.File{{Name: d.Name + "/printed.txt", Data: []byte(otherPFC.Replace(printed))}})
		require.Empty(t, why)
		assert.NotEmpty(t, other.Compare("").Values, "%s: PFC of another priority is not reported as a difference", d.Name)
		for _, n := range d.Host.NICs {
			want, is := (*nic.Family)(nil).Lower(n), read.Settings.Port(n.Name)
			require.NotNil(t, is, n.Name)
			assert.True(t, is.PausesKnown, "%s:%s", d.Name, n.Name)
			assert.Equal(t, ir.Of(n.MTU), is.Detail.Get().MTU)
			if d.ByHand.System != "windows" { // the other systems have no command for shares
				continue
			}
			for p := range 8 {
				assert.Equal(t, want.ETS[want.TC[p]], is.Strict>>p&1 == 0, "priority %d", p)
				if want.ETS[want.TC[p]] {
					assert.Equal(t, want.Share[want.TC[p]], is.Share[p], "priority %d", p)
				}
			}
		}
	}
	assert.Positive(t, seen)
}

// otherPFC prints PFC for another priority than the commands of a sheet set.
var otherPFC = strings.NewReplacer("Priority 4 Enabled", "Priority 5 Enabled", "Priority 3 Enabled", "Priority 5 Enabled",
	"PFC Configuration: 0 0 0 0 1 0 0 0", "PFC Configuration: 0 0 0 0 0 1 0 0")

// printers has, by system, the function that prints the system's settings after the commands of a sheet.
var printers = map[string]func(t *testing.T, sheet string) string{"windows": printWindows, "esxi": printESXi}

// fenced returns the first code block of a language.
func fenced(t *testing.T, sheet, language string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(sheet, "```"+language+"\n")
	require.True(t, ok, sheet)
	block, _, _ := strings.Cut(rest, "```")
	return strings.Split(strings.TrimSpace(block), "\n")
}

// printESXi simulates an ESXi after a restart: the driver has the parameters of the commands, and the NICs have these settings.
func printESXi(t *testing.T, sheet string) string {
	var b strings.Builder
	nics, mtu, mask := []string{}, "", 0
	for _, line := range fenced(t, sheet, "") {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "esxcli network nic pauseParams set"):
			nics = append(nics, words[6])
			assert.Equal(t, []string{"-r", "false", "-t", "false"}, words[7:])
		case strings.HasPrefix(line, "esxcli network vswitch standard set"):
			mtu = words[len(words)-1]
		case strings.HasPrefix(line, "esxcli system module parameters set"):
			fmt.Fprintf(&b, "+ esxcli system module parameters list -m %s\nName Type Value Description\n---- ---- ----- -----------\n", words[6])
			for pair := range strings.FieldsSeq(strings.Trim(strings.Join(words[8:], " "), "\"")) {
				key, value, _ := strings.Cut(pair, "=")
				fmt.Fprintf(&b, "%s int %s Text\n", key, value)
				if key == "pfctx" {
					v, err := strconv.ParseInt(value, 0, 16)
					require.NoError(t, err)
					mask = int(v)
				}
			}
		}
	}
	b.WriteString("+ esxcli network nic list\nName PCI Device Driver Link MTU Description\n---- ---\n")
	for _, name := range nics {
		fmt.Fprintf(&b, "%s 0000:3b:00.0 nmlx5_core Up Up 100000 Full 00:50:56:aa:00:02 %s Mellanox\n", name, mtu)
		fmt.Fprintf(&b, "+ esxcli network nic get -n %s\n   Pause RX: false\n   Pause TX: false\n", name)
		fmt.Fprintf(&b, "+ esxcli network nic dcb status get -n %s\n   PFC Enabled: true\n   PFC Configuration:", name)
		for prio := range 8 {
			fmt.Fprintf(&b, " %d", mask>>prio&1)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// printWindows simulates a Windows that runs the commands. It applies policies of the system or of an adapter to the adapters with QoS.
func printWindows(t *testing.T, sheet string) string {
	type class struct{ algorithm, share, priorities string }
	type policy struct {
		pfc     map[string]bool
		classes []class
	}
	of := map[string]*policy{}
	at := func(words map[string]string) *policy {
		key := words["InterfaceAlias"]
		if of[key] == nil {
			of[key] = &policy{pfc: map[string]bool{}}
		}
		return of[key]
	}
	properties := map[string]map[string]string{}
	var adapters []string
	option := regexp.MustCompile(`\s-(\w+) ('(?:[^']|'')*'|\S+)`)
	for _, line := range fenced(t, sheet, "powershell") {
		words := map[string]string{}
		for _, m := range option.FindAllStringSubmatch(line, -1) {
			words[m[1]] = strings.ReplaceAll(strings.Trim(m[2], "'"), "''", "'")
		}
		switch name, _, _ := strings.Cut(line, " "); name {
		case "Set-NetAdapterAdvancedProperty":
			if properties[words["Name"]] == nil {
				properties[words["Name"]] = map[string]string{}
			}
			properties[words["Name"]][words["RegistryKeyword"]] = words["RegistryValue"]
		case "Disable-NetQosFlowControl", "Enable-NetQosFlowControl":
			for p := range strings.SplitSeq(words["Priority"], ",") {
				at(words).pfc[p] = name[0] == 'E'
			}
		case "New-NetQosTrafficClass":
			at(words).classes = append(at(words).classes, class{words["Algorithm"], words["BandwidthPercentage"], words["Priority"]})
		case "Enable-NetAdapterQos":
			adapters = append(adapters, words["Name"])
		case "Set-NetQosDcbxSetting":
			assert.Equal(t, "$false", words["Willing"])
		}
	}
	var b strings.Builder
	for _, name := range adapters {
		p := of[name]
		if p == nil {
			p = of[""]
		}
		var on, rest []string
		left := 100
		for prio := range 8 {
			word := strconv.Itoa(prio)
			if p.pfc[word] {
				on = append(on, word)
			}
			if !slices.ContainsFunc(p.classes, func(c class) bool { return slices.Contains(strings.Split(c.priorities, ","), word) }) {
				rest = append(rest, word)
			}
		}
		for _, c := range p.classes {
			share, _ := strconv.Atoi(c.share)
			left -= share
		}
		fmt.Fprintf(&b, "PS> Get-NetAdapterQos\n\nName                       : %s\nEnabled                    : True\n", name)
		fmt.Fprintf(&b, "OperationalTrafficClasses  : TC TSA    Bandwidth Priorities\n%29s-- ---    --------- ----------\n", "")
		for i, c := range append([]class{{"ETS", strconv.Itoa(left), strings.Join(rest, ",")}}, p.classes...) {
			if c.share != "" {
				c.share += "%"
			}
			fmt.Fprintf(&b, "%30d %-6s %-9s %s\n", i, c.algorithm, c.share, c.priorities)
		}
		flow := "All Priorities Disabled"
		if len(on) > 0 {
			flow = "Priority " + strings.Join(on, ",") + " Enabled"
		}
		fmt.Fprintf(&b, "\nOperationalFlowControl     : %s\nOperationalClassifications : Not Available\n\n", flow)
		b.WriteString("PS> Get-NetAdapterAdvancedProperty\n\nName DisplayName DisplayValue RegistryKeyword RegistryValue\n" +
			"---- ----------- ------------ --------------- -------------\n")
		for key, value := range properties[name] {
			fmt.Fprintf(&b, "%s Text of it %s %s {%s}\n", name, value, key, value)
		}
	}
	return b.String()
}
