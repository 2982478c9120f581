package site

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target/lint"
)

// routedFiles are the files of two leaves and two spines on SONiC. Each leaf has two hosts, and every cable between switches has a BGP
// session.
func routedFiles() map[string]string {
	files := map[string]string{}
	asOf := map[string]int{"leaf1": 65101, "leaf2": 65102, "spine1": 65000, "spine2": 65000}
	for k, name := range []string{"leaf1", "leaf2", "spine1", "spine2"} {
		var neighbours, sessions, ports []string
		cable := func(port int, device string, at int) {
			own := fmt.Sprintf("Ethernet%d", 4*port)
			far := fmt.Sprintf("Ethernet%d", 4*at)
			if strings.HasPrefix(device, "gpu") {
				far = "eth0"
			} else {
				sessions = append(sessions, fmt.Sprintf(`"10.0.%d.%d": {"name": %q, "asn": "%d"}`, k, port, strings.ToUpper(device),
					asOf[device]))
			}
			ports = append(ports, fmt.Sprintf(`%q: {"lanes": "%d", "speed": "100000"}`, own, 4*port))
			neighbours = append(neighbours, fmt.Sprintf(`%q: {"name": %q, "port": %q}`, own, device, far))
		}
		kind := "LeafRouter"
		if k < 2 {
			cable(0, fmt.Sprintf("gpu%d", 2*k+1), 0)
			cable(1, fmt.Sprintf("gpu%d", 2*k+2), 0)
			cable(30, "spine1", k)
			cable(31, "spine2", k)
		} else {
			kind = "SpineRouter"
			cable(0, "leaf1", 30+k-2)
			cable(1, "leaf2", 30+k-2)
		}
		files[name] = fmt.Sprintf(`{"DEVICE_METADATA": {"localhost": {"hostname": %q, "hwsku": "ACS-MSN2700", "type": %q, "bgp_asn": "%d"}},
"PORT": {%s}, "DEVICE_NEIGHBOR": {%s}, "BGP_NEIGHBOR": {%s}}`, name, kind, asOf[name], strings.Join(ports, ", "),
			strings.Join(neighbours, ", "),
			strings.Join(sessions, ", "))
	}
	return files
}

// Routing is known if every switch states its AS number and a session on each cable. Otherwise the page names the missing parts, and
// routing stays assumed.
func TestRouting(t *testing.T) {
	for name, c := range map[string]struct {
		file, old, now string
		want           string
	}{
		"all is stated": {},
		"AS by the template": {"leaf1", `"type": "LeafRouter"`, `"type": "ToRRouter"`, "leaf1: the template of SONiC for a ToRRouter " +
			"accepts its own AS number"},
		"no AS":     {"spine2", `"bgp_asn": "65000"`, `"x": "1"`, "files of 3 of 4 switches state an AS number"},
		"no number": {"spine2", `"bgp_asn": "65000"`, `"bgp_asn": "none"`, "files of 3 of 4 switches state an AS number"},
		"files of FRR": {
			"leaf2", `"type": "LeafRouter"`, `"type": "LeafRouter", "docker_routing_config_mode": "split"`,
			"files of 3 of 4 switches state an AS number",
		},
		"no session": {"leaf1", `{"name": "SPINE2", "asn"`, `{"name": "other", "asn"`, "no file states a BGP session from " +
			"leaf1:Ethernet124 to spine2:"},
		"another AS": {
			"leaf2", `{"name": "SPINE1", "asn": "65000"`, `{"name": "SPINE1", "asn": "65009"`,
			"expects AS 65009 of spine1:Ethernet4, whose file states 65000",
		},
		"inside an AS": {"spine1", `"bgp_asn": "65000"`, `"bgp_asn": "65101"`, "leaf1:Ethernet120 has a session inside of its AS to " +
			"spine1:Ethernet0"},
	} {
		t.Run(name, func(t *testing.T) {
			var files []lint.File
			for device, text := range routedFiles() {
				if device == c.file {
					require.Contains(t, text, c.old)
					text = strings.Replace(text, c.old, c.now, 1)
				}
				files = append(files, lint.File{Name: device + "/config_db.json", Data: []byte(text)})
			}
			s, ds := Of(t.Context(), files, Options{Most: 100})
			require.Empty(t, ds)
			require.NotNil(t, s.Judged.Fabric)
			require.False(t, s.Judged.Diags.HasErrors(), "%v", texts(s.Judged.Diags))
			n := s.Network()
			conditions := strings.Join(n.Conditions, "\n")
			if c.want != "" {
				assert.Equal(t, ir.UpDown, s.Judged.Fabric.Routing)
				assert.Equal(t, "up-down", n.Routing)
				assert.Empty(t, n.Stated)
				assert.Contains(t, conditions, `(routing = "up-down"); `)
				assert.Contains(t, conditions, c.want)
				return
			}
			assert.Equal(t, ir.EBGP, s.Judged.Fabric.Routing)
			assert.Equal(t, "ebgp", n.Stated)
			assert.Empty(t, n.Routing)
			assert.NotContains(t, conditions, "routing")
			devices := string(s.Drafted.Files[1].Data)
			assert.Contains(t, devices, "asn     = 65101 + self.index")
			assert.Contains(t, devices, "asn     = 65000")
			assert.Contains(t, string(s.Drafted.Files[0].Data), `routing  = "ebgp" # by the AS numbers and sessions of the switches`)
		})
	}
}

// Switches of one AS without a session do not show routing by eBGP. SONiC is in this state before BGP is configured.
func TestOneAS(t *testing.T) {
	var files []lint.File
	for device, text := range routedFiles() {
		text = regexp.MustCompile(`"bgp_asn": "[0-9]+"`).ReplaceAllString(text, `"bgp_asn": "65100"`)
		text = regexp.MustCompile(`, "BGP_NEIGHBOR": \{.*\}\}`).ReplaceAllString(text, "}")
		files = append(files, lint.File{Name: device + "/config_db.json", Data: []byte(text)})
	}
	s, ds := Of(t.Context(), files, Options{Most: 100})
	require.Empty(t, ds)
	require.NotNil(t, s.Judged.Fabric)
	require.False(t, s.Judged.Diags.HasErrors(), "%v", texts(s.Judged.Diags))
	n := s.Network()
	assert.Empty(t, n.Stated)
	assert.Contains(t, strings.Join(n.Conditions, "\n"), `(routing = "up-down"); no cable joins two AS numbers`)
}
