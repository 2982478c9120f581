package picture

import (
	"bytes"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

// The document of --format json; docs/schema/graph.json describes it.
type document struct {
	FormatVersion string        `json:"format_version"`
	Name          string        `json:"name"`
	Routing       string        `json:"routing,omitempty"`
	Devices       []jsonDevice  `json:"devices"`
	Links         []jsonLink    `json:"links"`
	Verdicts      []jsonVerdict `json:"verdicts"`
	Loops         []jsonLoop    `json:"loops"`
}

type jsonDevice struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // switch or host
	Group    string `json:"group"`
	Model    string `json:"model,omitempty"`
	Tier     int    `json:"tier,omitempty"`
	ASN      int    `json:"asn,omitempty"`
	Forwards bool   `json:"forwards,omitempty"` // hosts only

	Maintenance string `json:"maintenance,omitempty"` // the reason
}

type jsonPort struct {
	Device string `json:"device"`
	Port   string `json:"port"`
}

type jsonLink struct {
	A        jsonPort `json:"a"`
	B        jsonPort `json:"b"`
	Speed    int      `json:"speed"`            // Mb/s
	Length   *float64 `json:"length,omitempty"` // metres
	Lossless []string `json:"lossless"`         // cos groups
	Routed   bool     `json:"routed"`
	Peer     bool     `json:"peer"`
	Bond     int      `json:"bond,omitempty"` // cables with the same number are one bond
	Planned  bool     `json:"planned,omitempty"`
	Pause    bool     `json:"link_pause,omitempty"`
}

type jsonVerdict struct {
	CosGroup string `json:"cos_group"`
	Verdict  string `json:"verdict"`
	Loops    int    `json:"loops"` // number of loops of the group
}

type jsonWait struct {
	Device   string `json:"device"`
	In       string `json:"in"`
	Out      string `json:"out"`
	CosGroup string `json:"cos_group"`
}

type jsonLoop struct {
	CosGroup string        `json:"cos_group"`
	Hops     []jsonWait    `json:"hops"`
	Flows    [][]jsonPort  `json:"flows"` // the ports that each flow passes, the sender's first
	Down     [][2]jsonPort `json:"down"`
}

// JSON writes every device and link by name, and the PFC loops as they were found.
func JSON(f *ir.Fabric, proofs []validate.GroupProof) []byte {
	doc := document{
		FormatVersion: "1.0", Name: f.Name, Routing: string(f.Routing),
		Devices: []jsonDevice{}, Links: []jsonLink{}, Verdicts: []jsonVerdict{}, Loops: []jsonLoop{},
	}
	for _, d := range f.Devices {
		j := jsonDevice{Name: d.Name, Kind: "host", Group: d.Group, Maintenance: d.Maintenance}
		if s := d.Switch; s != nil {
			j.Kind, j.Model, j.Tier, j.ASN = "switch", s.Model.Name, s.Tier, s.ASN
		} else {
			j.Forwards = d.Host.Forwards
		}
		doc.Devices = append(doc.Devices, j)
	}
	for _, l := range slices.SortedFunc(slices.Values(f.Links), compareLinks) {
		a, z := ends(l)
		j := jsonLink{
			A: portOf(a), B: portOf(z), Speed: l.Speed.N, Lossless: lossless(l), Routed: l.Routed, Peer: l.Peer, Bond: l.Bond,
			Planned: l.Planned,
		}
		j.Pause = l.ByPause() && len(j.Lossless) > 0
		if l.Length.Known() {
			j.Length = &l.Length.Metres
		}
		doc.Links = append(doc.Links, j)
	}
	for _, p := range proofs {
		doc.Verdicts = append(doc.Verdicts, jsonVerdict{p.Group.Name, string(p.Verdict), len(p.Loops)})
	}
	for _, c := range circles(proofs) {
		j := jsonLoop{CosGroup: c.proof.Group.Name, Hops: []jsonWait{}, Flows: [][]jsonPort{}, Down: [][2]jsonPort{}}
		for _, h := range c.loop.Circle {
			j.Hops = append(j.Hops, jsonWait{h.In.Device().Name, h.In.Name, h.Out.Name, h.Group.Name})
		}
		for _, flow := range c.loop.Flows {
			var ports []jsonPort
			for _, p := range flow.Ports {
				ports = append(ports, portOf(p))
			}
			j.Flows = append(j.Flows, ports)
		}
		for _, l := range c.loop.Down {
			a, z := ends(l)
			j.Down = append(j.Down, [2]jsonPort{portOf(a), portOf(z)})
		}
		doc.Loops = append(doc.Loops, j)
	}
	var b bytes.Buffer
	if err := diag.WriteJSON(&b, doc, true); err != nil {
		panic(err) // the types above can always be encoded
	}
	return b.Bytes()
}

func portOf(p *ir.Port) jsonPort { return jsonPort{p.Device().Name, p.Name} }
