package hosttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

const (
	inval    = "Attribute write: Invalid argument\n"
	missing  = "Attribute not found: Success\n"
	schedule = "ets set dev e willing off tc-tsa all:strict 0:ets 1:ets tc-bw all:0 0:50 1:50 prio-tc all:0 3:1"
)

// TestRules runs the real dcb by the rules of every driver. A line is a command, and after => what it prints to both outputs.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct {
		env   string
		lldp  bool
		lines string
	}{
		"mlx5": {"DCBSHIM_DRIVER=mlx5", false, `
dcbx show dev e => \n
app add dev e dscp-prio 26:3 =>
app add dev e dscp-prio 26:4 =>
-N app show dev e => dscp-prio 26:4 \n
app add dev e ethtype-prio 0x8915:3 => INVAL`},
		"mlx4: no DSCP in the card, and an entry in the kernel's table": {"DCBSHIM_DRIVER=mlx4", false, `
dcbx show dev e => host ieee \n
ets set dev e tc-tsa all:vendor => Attribute write: Operation not supported\n
app add dev e dscp-prio 26:3 =>
app add dev e dscp-prio 26:3 => Attribute write: File exists\n
-N app show dev e => dscp-prio 26:3 \n
buffer show dev e => MISSING`},
		"bnxt: PFC needs ETS before it, for one lossless class": {"DCBSHIM_DRIVER=bnxt", false, `
pfc show dev e pfc-cap => pfc-cap 1 \n
dcbx show dev e => host ieee \n
pfc set dev e prio-pfc 3:on => INVAL
ets set dev e tc-tsa all:vendor => Attribute write: Operation not supported\n
SCHEDULE =>
pfc set dev e prio-pfc 3:on =>
pfc set dev e prio-pfc 3:on 4:on => INVAL
app add dev e dscp-prio 26:3 =>
app add dev e dscp-prio 26:4 =>
app add dev e ethtype-prio 0x8915:3 dgram-port-prio 4791:3 =>
-N app show dev e => ethtype-prio 8915:3 \ndscp-prio 26:3 26:4 \ndgram-port-prio 4791:3 \n
-j app show dev e => {"ethtype_prio":[[35093,3]],"dscp_prio":[[26,3],[26,4]],"dgram_port_prio":[[4791,3]]}\n
app flush dev e =>
app show dev e =>
dcbx set dev e host cee => Attribute write: Unknown error -1\n`},
		"bnxt: two lossless classes": {"DCBSHIM_DRIVER=bnxt DCBSHIM_LOSSLESS=2", false, `
SCHEDULE =>
pfc set dev e prio-pfc 3:on 4:on =>`},
		"bnxt: the agent of the firmware": {"DCBSHIM_DRIVER=bnxt", true, `
dcbx show dev e => lld-managed ieee \n
SCHEDULE => INVAL
dcbx set dev e host ieee => Attribute write: Unknown error -1\n`},
		"ice: the agent of the firmware": {"DCBSHIM_DRIVER=ice", true, `
SCHEDULE => INVAL
pfc set dev e prio-pfc 3:on => INVAL
app add dev e dscp-prio 26:3 => INVAL`},
		"ice: fewer classes than priorities": {"DCBSHIM_DRIVER=ice DCBSHIM_CLASSES=4", false, `
app add dev e dscp-prio 26:4 => INVAL
app add dev e dscp-prio 26:3 =>`},
		"ice: the first DSCP changes the scheduling, and the last one changes it back": {"DCBSHIM_DRIVER=ice", false, `
SCHEDULE =>
ets show dev e prio-tc => prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0 \n
app add dev e ethtype-prio 0x8915:3 => INVAL
app add dev e dscp-prio 26:3 =>
ets show dev e prio-tc => prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 \n
app add dev e dscp-prio 26:4 => INVAL
-N app show dev e => dscp-prio 26:3 \n
app del dev e dscp-prio 26:3 =>
ets show dev e tc-bw prio-tc => tc-bw 0:100 1:0 2:0 3:0 4:0 5:0 6:0 7:0 \nprio-tc 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 \n
dcbx set dev e host ieee => Attribute write: Unknown error -1\n`},
		"qede: what it accepts stays in the driver, and the kernel's table keeps what the card refuses": {"DCBSHIM_DRIVER=qede", true, `
dcbx show dev e => lld-managed ieee \n
pfc set dev e prio-pfc 3:on =>
pfc show dev e prio-pfc => prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off \n
SCHEDULE =>
ets show dev e prio-tc => prio-tc 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 \n
app add dev e dgram-port-prio 4791:3 =>
app add dev e dscp-prio 26:3 => INVAL
-N app show dev e => dscp-prio 26:3 \ndgram-port-prio 4791:3 \n
app del dev e dgram-port-prio 4791:3 =>
buffer show dev e => MISSING
dcbx set dev e cee =>
dcbx show dev e => lld-managed ieee \n`},
		"qede without DCBX of the switch": {"DCBSHIM_DRIVER=qede", false, `
dcbx show dev e => \n
pfc show dev e => MISSING
pfc set dev e prio-pfc 3:on => MISSING`},
	} {
		t.Run(name, func(t *testing.T) {
			dcb, dir := machinetest.Need(t, "dcb"), t.TempDir()
			if c.lldp {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "e.lldp"), nil, 0o644))
			}
			for line := range strings.Lines(strings.TrimSpace(c.lines)) {
				args, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " =>")
				require.True(t, ok, line)
				want = strings.NewReplacer(`\n`, "\n", "INVAL", inval, "MISSING", missing).Replace(strings.TrimPrefix(want, " "))
				cmd := exec.Command(dcb, strings.Fields(strings.Replace(args, "SCHEDULE", schedule, 1))...)
				cmd.Env = append(strings.Fields(c.env), "LD_PRELOAD="+shim(t, "dcb"), "DCBSHIM_DIR="+dir, "LC_ALL=C")
				out, err := cmd.CombinedOutput()
				assert.Equal(t, want, string(out), line)
				assert.Equal(t, strings.Contains(want, "Attribute"), err != nil, "the status of %s", line)
			}
		})
	}
}
