package tools

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

const (
	operatorHead = "apiVersion: configuration.net.nvidia.com/v1alpha1\n"
	operatorQoS  = "{trust: dscp, pfc: \"0,0,0,1,0,0,0,0\", tos: 104, cableLen: 5, pauseFrames: {enabled: false}}"

	operatorDevice = operatorHead + `kind: NicDevice
spec:
  configuration:
    template:
      numVfs: 8
      linkType: Ethernet
      roceOptimized: {enabled: true, qos: QOS}
status:
  {dpu: false, firmwareVersion: "", modelName: "", node: gpu001, partNumber: "", psid: "", serialNumber: "", superNIC: false, type: "1021",
  ports: [{pci: "0000:04:00.0", networkInterface: ens1f0}, {pci: "0000:04:00.1"}, {pci: "x", networkInterface: "../up"}]}
`
	operatorTemplate = "---\n" + operatorHead + `kind: NicConfigurationTemplate
spec:
  nicSelector: {nicType: "TYPE"}
  template:
    numVfs: 8
    linkType: Ethernet
    roceOptimized: {enabled: true, qos: QOS}
`
)

// A NicDevice states the settings of its interfaces. A setting that it does not state is not known.
func TestOperatorDevice(t *testing.T) {
	text := strings.Replace(operatorDevice, "QOS", operatorQoS, 1)
	u := Understand(target.Identity{}, map[string][]byte{"gpu001/nic.yaml": []byte(text)})
	require.Empty(t, u.Coverage.Not)
	require.Len(t, u.Settings.Ports, 1)
	p := u.Settings.Port("ens1f0")
	assert.Equal(t, ir.Stored, u.Settings.Moment)
	assert.Equal(t, ir.Trust{DSCP: true}, p.Trust)
	assert.True(t, p.PausesKnown)
	assert.Equal(t, [2]uint8{8, 8}, [2]uint8{p.Sends, p.Obeys})
	assert.Equal(t, uint64(1)<<26, p.Stamps)
	assert.Equal(t, ir.Of(5), p.Detail.Get().Cable)
	for _, v := range p.DSCP {
		assert.Equal(t, int8(-1), v, "no object has the map")
	}
	assert.False(t, p.Detail.Get().MTU.Known())
	at, ok := u.Where("ens1f0", ir.FieldTrust, -1)
	assert.True(t, ok)
	assert.Equal(t, 8, at.Start.Line)

	text = strings.Replace(operatorDevice, ", qos: QOS", "", 1)
	p = Understand(target.Identity{}, map[string][]byte{"nic.yaml": []byte(text)}).Settings.Port("ens1f0")
	assert.Equal(t, ir.Trust{DSCP: true}, p.Trust, "the operator's own")
	assert.Equal(t, ir.Of(uint8(8)), p.Detail.Get().PFC)
	assert.False(t, p.PausesKnown && p.LinkPause)
	assert.Zero(t, p.Stamps)
}

// A template sets the NICs of the models with its type, which the fabric states. A template of unknown interfaces is not understood.
func TestOperatorTemplate(t *testing.T) {
	one := func(nicType string) string {
		return strings.NewReplacer("QOS", operatorQoS, "TYPE", nicType).Replace(operatorTemplate)
	}
	cards := map[string]string{"ens1": "connectx-7", "ens2": "connectx-7", "ens3": "connectx-5"}
	for _, c := range []struct {
		name, text string
		id         target.Identity
		ports      string
		why        string
	}{
		{"by its type", one("1021"), target.Identity{Cards: cards}, "ens1 ens2", ""},
		{"of a further id", one("1019"), target.Identity{Cards: cards}, "ens3", ""},
		{"of two", one("1021") + one("1017"), target.Identity{Cards: cards}, "ens1 ens2 ens3", ""},
		{"the only port", one("1021"), target.Identity{Ports: []string{"ens9"}}, "ens9", ""},
		{"of another type", one("1015"), target.Identity{Cards: cards}, "", "no NIC of the host is of the type 1015"},
		{"no fabric", one("1021"), target.Identity{}, "", "it names no interface: give rocec the NicDevices, too"},
		{"twice", one("1021") + one("1021"), target.Identity{Cards: cards}, "", "several templates select ens1, and the operator applies none"},
		{
			"single NICs", strings.Replace(one("1021"), "nicType", "serialNumbers: [MT1], nicType", 1),
			target.Identity{Cards: cards},
			"",
			"it selects NICs by serialNumbers",
		},
	} {
		u := Understand(c.id, map[string][]byte{"t.yaml": []byte(c.text)})
		var ports []string
		for _, name := range []string{"ens1", "ens2", "ens3", "ens9"} {
			if p := u.Settings.Port(name); p != nil {
				ports = append(ports, name)
				assert.True(t, p.TrustKnown, c.name)
			}
		}
		assert.Equal(t, c.ports, strings.Join(ports, " "), c.name)
		var whys strings.Builder
		for _, n := range u.Coverage.Not {
			whys.WriteString(n.Why + "\n")
		}
		assert.Equal(t, c.why == "", whys.String() == "", c.name)
		assert.Contains(t, whys.String(), c.why, c.name)
	}
}

// The template that the operator has copied to a NIC precedes the present template, whatever the order is.
func TestOperatorBoth(t *testing.T) {
	device := strings.NewReplacer("QOS", strings.Replace(operatorQoS, "dscp", "pfc", 1), "ens1f0", "ens1").Replace(operatorDevice)
	template := strings.NewReplacer("QOS", operatorQoS, "TYPE", "1021").Replace(operatorTemplate)
	id := target.Identity{Cards: map[string]string{"ens1": "connectx-7"}}
	for _, text := range []string{device + template, template + "---\n" + device} {
		assert.Equal(t, ir.Trust{PCP: true}, Understand(id, map[string][]byte{"t.yaml": []byte(text)}).Settings.Port("ens1").Trust)
	}
}

// Objects of Kubernetes are not kept, because a Secret can be among them.
func TestOperatorIsNotKept(t *testing.T) {
	text := operatorDevice + "---\napiVersion: v1\nkind: Secret\ndata: {password: aHVudGVyMg==}\n"
	kept, _, err := Keep("gpu001/nic.yaml", []byte(text))
	assert.ErrorIs(t, err, errObjects)
	assert.Empty(t, kept)
}
