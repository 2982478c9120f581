package tools

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

const qedeDriver = "$ ethtool -i eth0\ndriver: qede\n$ ethtool -a eth0\nPause parameters for eth0:\nRX:\toff\nTX:\toff\n"

// Values that qede keeps without passing them to its card are not known: a DSCP in the kernel's table, and PFC and shares that a script
// sets. Values of dcb show are those of the firmware, and count.
func TestQedeIsNotBelieved(t *testing.T) {
	script := "#!/bin/sh\ndcb pfc set dev eth0 prio-pfc all:off 5:on\n" +
		"dcb ets set dev eth0 tc-tsa all:strict 0:ets tc-bw all:0 0:100 prio-tc all:0\ndcb app add dev eth0 dscp-prio 26:5\n"
	p, u := port(t, target.Identity{}, map[string]string{"up.sh": script, "a": qedeDriver})
	assert.False(t, p.PausesKnown)
	assert.False(t, p.Detail.Get().PFC.Known())
	assert.Equal(t, ir.UnknownPort().DSCP, p.DSCP)
	assert.Equal(t, ir.UnknownDetail().Queue, p.Detail.Get().Queue)
	assert.Zero(t, u.Coverage.Means[ir.FieldPauses]+u.Coverage.Means[ir.FieldDSCP]+u.Coverage.Means[ir.FieldShare])
	assert.Equal(t, 4, u.Coverage.Aside["qede accepts the command, and passes nothing to the card"])

	shown := "$ dcb pfc show dev eth0\nprio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:on 7:off\n"
	p, _ = port(t, target.Identity{}, map[string]string{"up.sh": script, "a": qedeDriver + shown})
	assert.Equal(t, uint8(1<<6), p.Sends, "what the firmware does")

	p, u = port(t, target.Identity{}, map[string]string{"up.sh": script, "a": strings.Replace(qedeDriver, "qede", "mlx5_core", 1)})
	assert.Equal(t, uint8(1<<5), p.Sends, "another driver")
	assert.Equal(t, int8(5), p.DSCP[26])
	assert.Equal(t, 1, u.Coverage.Means[ir.FieldDSCP])
}

// ethtool prints the directions of pauses of ionic without their type, which nicctl prints. PFC without its type, or priorities with PFC
// whose class may drop, are not known.
func TestIonicPauses(t *testing.T) {
	const (
		driver = "$ ethtool -i eth0\ndriver: ionic\nbus-info: 0000:06:00.0\n$ ethtool -a eth0\nPause parameters for eth0:\nRX:\ton\nTX:\ton\n"
		qos    = "$ nicctl show qos\nNIC : 4242  (0000:06:00.0)\n\nPort : 0490\n  PFC :\n    PFC priority bitmap    : 0x8\n" +
			"    PFC no-drop priorities : 3\n"
		ports = "$ nicctl show port\nNIC : 4242 (0000:06:00.0)\nPort : 0490 (eth1/1)\n  Spec:\n    Pause type : PFC\n    TX pause   : enabled\n" +
			"    RX pause   : enabled\n"
	)
	received := strings.Replace(ports, "TX pause   : enabled", "TX pause   : disabled", 1)
	second := "\nPort : 0491\n  PFC :\n    PFC priority bitmap    : 0x10\n    PFC no-drop priorities : 4\n"
	for name, c := range map[string]struct {
		text         string
		known, link  bool
		sends, obeys uint8
	}{
		"all printed":              {driver + qos + ports, true, false, 8, 8},
		"without the type":         {driver + qos, false, false, 0, 0},
		"ethtool alone":            {driver, false, false, 0, 0},
		"without the mask":         {driver + ports, false, false, 0, 0},
		"link pause":               {driver + qos + strings.Replace(ports, ": PFC", ": LINK", 1), true, true, 0xff, 0xff},
		"no pauses":                {driver + qos + strings.Replace(ports, ": PFC", ": NONE", 1), true, false, 0, 0},
		"received only":            {driver + qos + received, true, false, 0, 8},
		"a class that may drop":    {driver + strings.Replace(qos, "priorities : 3", "priorities :", 1) + ports, false, false, 0, 0},
		"a mask of no number":      {driver + strings.Replace(qos, "0x8", "0x8x", 1) + ports, false, false, 0, 0},
		"a second port":            {driver + qos + second + ports, true, false, 8, 8},
		"an address of the bridge": {strings.Replace(driver, ":06:", ":09:", 1) + qos + ports, false, false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := Understand(target.Identity{}, map[string][]byte{"a": []byte(c.text)}).Settings.Port("eth0")
			assert.Equal(t, c.known, p.PausesKnown)
			assert.Equal(t, c.link, p.LinkPause)
			assert.Equal(t, [2]uint8{c.sends, c.obeys}, [2]uint8{p.Sends, p.Obeys})
		})
	}
}
