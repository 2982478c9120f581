package forms

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/nic/sheets"
	"github.com/rocec/rocec/targets/target/lint"
)

// The commands of a sheet for an AMD Pensando NIC set what the fabric wants: the card that executes them prints it, and rocec reads it.
func TestLinuxSheetReadsBack(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("testdata/systems"), ".", judge.Options{}).Fabric
	i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == "mi1" })
	require.GreaterOrEqual(t, i, 0)
	d := f.Devices[i]
	printed := printPensando(t, string(sheets.Of(d)))
	judged := func(printed string) *targets.DeviceRead {
		read, why := targets.ReadDevice(d, []lint.File{{Name: "mi1/linux.txt", Data: []byte(printed)}})
		require.Empty(t, why, printed)
		return read
	}
	read := judged(printed)
	assert.Empty(t, read.Coverage.Not)
	assert.Empty(t, read.Compare("").Values)
	p := read.Settings.Port("benic1p1")
	require.NotNil(t, p)
	assert.True(t, p.PausesKnown)
	assert.Equal(t, uint8(1<<4), p.Sends)

	for old, wrong := range map[string]string{
		"priorities    : 4": "priorities    : 5", "type         : DSCP": "type         : PCP", "Pause type : PFC": "Pause type : LINK",
		"34 ==> priority : 4": "34 ==> priority : 3",
	} {
		require.Contains(t, printed, old)
		text := strings.Replace(printed, old, wrong, 1)
		if strings.HasPrefix(old, "priorities") {
			text = strings.Replace(text, "bitmap       : 0x10", "bitmap       : 0x20", 1)
		}
		assert.NotEmpty(t, judged(text).Compare("").Values, wrong)
	}
}

// The commands of nicctl are there once for NICs that need the same, and for each NIC of a host whose NICs need different settings.
func TestLinuxSheetOfTwoNeeds(t *testing.T) {
	text := strings.NewReplacer("host.mi,", `"mi[1-2]:benic1p1",`, "[host.old,", `["mi[1-2]:benic2p1", host.old,`,
		"benic1p1", "benic[1-2]p1", "swp[1-20]", "swp[1-22]").Replace(readAll(t, "testdata/systems/fabric.hcl"))
	text = strings.Replace(text, `"mi[1-2]:benic[1-2]p1",`, `"mi[1-2]:benic1p1",`, 1)
	for _, c := range []struct {
		text   string
		blocks int
	}{
		{text, 2},
		{strings.NewReplacer(`"mi[1-2]:benic1p1",`, "host.mi,", `"mi[1-2]:benic2p1", `, "").Replace(text), 1},
	} {
		f := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(c.text)}}, ".", judge.Options{}).Fabric
		i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == "mi1" })
		require.GreaterOrEqual(t, i, 0)
		require.Len(t, f.Devices[i].Host.NICs, 2)
		sheet := string(sheets.Of(f.Devices[i]))
		assert.Equal(t, c.blocks, strings.Count(sheet, "nicctl update port --all"))
		assert.Equal(t, c.blocks == 2, strings.Contains(sheet, "# Only for benic2p1: write -p PORT"), sheet)
	}
}

// printPensando simulates a card of AMD Pensando that has executed the commands of a sheet. The forms are those of the reader's source.
func printPensando(t *testing.T, sheet string) string {
	t.Helper()
	kind, pauses, class, dscp, mask, mtu := "", [2]string{}, "", "", 0, ""
	var schedule, drop []string
	word := func(line, option string) string {
		_, rest, _ := strings.Cut(line, option+" ")
		value, _, _ := strings.Cut(rest, " ")
		return value
	}
	for _, line := range fenced(t, sheet, "sh") {
		switch {
		case strings.HasPrefix(line, "ip link set dev"):
			mtu = word(line, "mtu")
		case strings.HasPrefix(line, "nicctl update port"):
			kind, pauses = strings.ToUpper(word(line, "--pause-type")), [2]string{word(line, "--rx-pause"), word(line, "--tx-pause")}
		case strings.Contains(line, "--classification-type"):
			class = strings.ToUpper(word(line, "--classification-type"))
		case strings.Contains(line, "dscp-to-priority"):
			dscp += fmt.Sprintf("    DSCP                      : %s ==> priority : %s\n", word(line, "--dscp"), word(line, "--priority"))
		case strings.Contains(line, "--no-drop enable"):
			prio, err := strconv.Atoi(word(line, "--priority"))
			require.NoError(t, err)
			mask, drop = mask|1<<prio, append(drop, word(line, "--priority"))
		case strings.Contains(line, "qos scheduling"):
			priorities, shares := strings.Split(word(line, "--priority"), ","), strings.Split(word(line, "--dwrr"), ",")
			for i, limit := range strings.Split(word(line, "--rate-limit"), ",") {
				if limit == "0" {
					schedule = append(schedule, fmt.Sprintf("    %s         DWRR        %s         N/A", priorities[i], shares[i]))
				} else {
					schedule = append(schedule, fmt.Sprintf("    %s         strict      N/A       10", priorities[i]))
				}
			}
		}
	}
	return fmt.Sprintf("$ ip -d link show dev benic1p1\n2: benic1p1: <BROADCAST,UP> mtu %s qdisc mq\n$ ethtool -i benic1p1\ndriver: ionic\n"+
		"bus-info: 0000:06:00.0\n$ nicctl show qos\nNIC  : 42424650-4c32  (0000:06:00.0)\n\nPort : 0490814a-6c40\n\n"+
		"  Classification type         : %s\n\n  DSCP-to-priority :\n%s\n  PFC :\n    PFC priority bitmap       : 0x%x\n"+
		"    PFC no-drop priorities    : %s\n\n  Scheduling :\n    ----------------\n    Priority  Scheduling  Bandwidth Rate-limit\n"+
		"              Type        (in %%age) (in Gbps)\n    ----------------\n%s\n$ nicctl show port\nNIC  : 42424650-4c32 (0000:06:00.0)\n\n"+
		"Port : 0490814a-6c40 (eth1/1)\n  Spec:\n    Pause type : %s\n    TX pause : %sd\n    RX pause : %sd\n",
		mtu, class, dscp, mask, strings.Join(drop, ", "), strings.Join(schedule, "\n"), kind, pauses[1], pauses[0])
}
