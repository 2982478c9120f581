package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	nvuelint "github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/target/lint"
)

// Each slip in a line of commands is reported at its line, with the intended word. The other lines are checked.
func TestCommandSlips(t *testing.T) {
	const sound = "nv set qos pfc roce cable-length 0\n" // another line with a finding
	for line, says := range map[string]string{
		"nv set interface swp1 qos congestion-contrl profile x":             `Did you mean "congestion-control"?`,
		"nv set interface swp1 qos pfc profile":                             "interface.swp1.qos.pfc.profile has no value in this line",
		"nv set qos pfc roce switch-priorty 3":                              `Did you mean "switch-priority"?`,
		"nv set qos pfc roce switch-prio 3":                                 `Did you mean "switch-priority"?`,
		"nv set qos pfc roce rx enabel":                                     "rx is enabel",
		"nv set qos rocee mode lossless":                                    `Did you mean "roce"?`,
		"nv set qos roce mode loseless":                                     "qos.roce.mode is loseless",
		"nv set pfc qos roce rx enable":                                     "NVUE has no object pfc (did you mean nv set qos pfc?)",
		"nv set interfce swp1 qos pfc profile x":                            "NVUE has no object interfce (did you mean interface?)",
		"nv set qos default-global mapping trust l3":                        `Did you mean "qos.mapping.default-global"?`,
		"nv set quos roce mode lossless":                                    "NVUE has no object quos (did you mean qos?)",
		"nv unset qos rocee":                                                `Did you mean "roce"?`,
		"nv unset inteface swp1 qos":                                        "NVUE has no object inteface (did you mean interface?)",
		"nv unset":                                                          "nv unset has no path",
		"nv set":                                                            "nv set has no path",
		"nv st qos roce mode lossless":                                      "there is no nv st (did you mean set?)",
		"nv config applyy":                                                  "there is no nv config applyy (did you mean apply?)",
		"nv set qos pfc roce rx enable extra":                               "qos.pfc.roce.rx has more than one value",
		"nv set qos egress-scheduler s traffic-class 3 bw-percent fifty":    "bw-percent is fifty",
		"nv set qos congestion-control c traffic-class 3 ecn":               "ecn has no value in this line",
		"nv set qos egress-queue-mapping default-global switch-priority 99": "switch-priority",
	} {
		text := "nv set qos pfc roce tx enable\n" + line + "\n" + sound
		taken, found := nvuelint.Judge(lint.File{Name: "leaf1.nv", Data: []byte(text)})
		var all []string
		for _, d := range found {
			all = append(all, fmt.Sprintf("%d %s", d.At.Start.Line, d.Detail))
		}
		is := strings.Join(all, "\n")
		assert.Regexp(t, `(?m)^2 .*`+strings.NewReplacer("(", `\(`, ")", `\)`, "?", `\?`, ".", `\.`).Replace(says), is, line)
		assert.Regexp(t, `(?m)^3 `, is, line)
		assert.True(t, taken.Part, line)
	}
}

// Lines about objects that rocec does not check, and commands that set nothing, are not slips.
func TestCommandsOfOthers(t *testing.T) {
	for _, line := range []string{
		"nv set system hostname leaf1", "nv set vrf default router bgp autonomous-system 65001", "nv set evpn state enabled",
		"nv set service ntp mgmt server 10.0.0.1", "nv config apply -y", "nv config save", "nv config diff", "nv show interface swp1",
		"nv action reboot system", "nv set interface swp1 link state up", "sudo nv config patch x.yaml", "nv set acl a type ipv4",
	} {
		_, found := nvuelint.Judge(lint.File{Name: "leaf1.nv", Data: []byte("nv set qos pfc roce tx enable\n" + line + "\n")})
		for _, d := range found {
			assert.NotEqual(t, 2, d.At.Start.Line, "%s: %s", line, d.Detail)
		}
	}
}
