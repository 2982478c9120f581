package sim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// gpuHost returns a host as the compiler creates it. The host has a NIC or a bond of two NICs in a RoCEv2 intent, or a NIC in a RoCEv1
// intent on a VLAN.
func gpuHost(t *testing.T, version int, bonded bool) *ir.Device {
	at := diag.Range{Filename: "fabric.hcl"}
	from := []ir.Origin{{At: at, Why: "written"}}
	model := ir.Known{Drivers: []*ir.Driver{mlx5.Driver}}.FindNIC("connectx-5")
	require.NotNil(t, model)
	rdma := &ir.CosGroup{
		Name: "rdma", At: at, Cos: 3, CosAt: at, Lossless: true, LosslessAt: at, Weight: 50,
		DSCP: []ir.Claim{{Value: 26, At: at}}, PCP: []ir.Claim{{Value: 3, At: at}}, ECN: &ir.ECN{At: at},
	}
	cnp := &ir.CosGroup{
		Name: "cnp", At: at, Cos: 6, CosAt: at, Strict: true, DSCP: []ir.Claim{{Value: 48, At: at}},
		PCP: []ir.Claim{{Value: 6, At: at}},
	}
	rest := &ir.CosGroup{Name: "default", At: at, Weight: 50, PCP: []ir.Claim{{Value: 0, At: at}}}
	f := &ir.Fabric{Name: "lab", MTU: 9216, FlowControl: ir.PFC, CosGroups: []*ir.CosGroup{rest, rdma, cnp}}
	in := &ir.Intent{Name: "training", At: at, Version: version, VersionAt: at, Group: rdma, CNP: cnp}
	if version == 1 {
		in.VLAN, in.CNP = 100, nil
	}
	d := &ir.Device{Name: "gpu01", DevicePlaces: &ir.DevicePlaces{At: at, Decl: at}, Fabric: f, Host: &ir.Host{}}
	names := []string{"ens1f0"}
	if bonded {
		names = append(names, "ens1f1")
	}
	for _, name := range names {
		n := &ir.NIC{
			NICPlaces: &ir.NICPlaces{At: at, ModelAt: at, MTUAt: at}, Name: name, Device: d, Model: model, MTU: 9000, TTL: -1, TOS: -1,
			RoCE: true, Intents: []*ir.Intent{in},
		}
		n.Port = ir.NewPort(d, ir.PortSpec{Name: name, NIC: n, Buffers: []*ir.Buffer{{Group: rdma}}})
		leaf := ir.NewPort(&ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "leaf1", Switch: &ir.Switch{}, Fabric: f},
			ir.PortSpec{Name: "swp1"})
		ir.NewLink(n.Port, leaf, ir.Link{LinkFacts: &ir.LinkFacts{Length: ir.Length{Metres: 3, From: from[0]}}})
		d.Host.NICs = append(d.Host.NICs, n)
		d.Ports = append(d.Ports, n.Port)
	}
	if bonded {
		b := &ir.Bond{Name: "bond0", At: at, NICs: d.Host.NICs, Mode: "802.3ad"}
		for _, n := range d.Host.NICs {
			n.Bond = b
		}
		d.Host.Bonds = []*ir.Bond{b}
	}
	return d
}

// TestHostScripts runs the script and the unit of targets/nic/mlx5 on a simulated host. The cases are the kernel's driver, the vendor's
// driver, no dcb, a bond and a VLAN. Then no setting differs, and a second apply writes nothing.
func TestHostScripts(t *testing.T) {
	kinds := map[string]func(*lab.Device){
		"kernel driver": func(*lab.Device) {},
		"vendor driver": func(d *lab.Device) { targettest.Sim[*sim.NICs](d.Sims()).VendorDriver(2) },
		"no dcb": func(d *lab.Device) {
			targettest.Sim[*sim.NICs](d.Sims()).VendorDriver(0)
			require.NoError(t, d.RemoveFile("/usr/sbin/dcb"))
		},
	}
	hosts := map[string]*ir.Device{"v2": gpuHost(t, 2, false), "v1": gpuHost(t, 1, false), "bond": gpuHost(t, 2, true)}
	for kind, prepare := range kinds {
		for host, source := range hosts {
			t.Run(host+", "+kind, func(t *testing.T) {
				files, ds := mlx5.Target.Render(source)
				require.False(t, ds.HasErrors(), "%v", ds)
				d := lab.NewDevice(&target.Device{Name: source.Name, Role: target.Host, Target: mlx5.Target, Source: source})
				prepare(d)
				live := func() (answers []string) {
					for _, f := range files {
						if f.Live != nil {
							out := root(t, d, f.Live.Cmd, string(f.Live.Stdin))
							want, ds := f.Edit([]byte(out))
							require.False(t, ds.HasErrors(), "%v", ds)
							if string(want) != out {
								answers = append(answers, "have\n"+out+"want\n"+string(want))
							}
						}
					}
					return answers
				}
				require.NotEmpty(t, live(), "a fresh host differs")
				for _, p := range mlx5.Target.Identity(source) {
					require.Empty(t, p.Judge([]byte(root(t, d, p.Cmd))))
				}
				require.Empty(t, d.Writes(), "reading writes nothing")

				var step target.Step
				for _, f := range files {
					if f.Live == nil {
						content, _ := f.Edit(nil)
						d.WriteFile(f.Path, content, f.Mode)
					}
					step = f.Activate
				}
				r := sh(t, d, step.Cmd)
				require.Equal(t, 0, r.status, "%s%s\n%s", r.out, r.err, strings.Join(d.Programs(), "\n"))
				root(t, d, step.Loaded.Cmd)
				for _, l := range mlx5.Target.Enable(source) {
					require.Equal(t, l.To+"\n", root(t, d, "readlink "+l.Path), "what systemctl enable makes")
				}
				require.Empty(t, live())
				for _, n := range source.Host.NICs {
					require.Equal(t, 1, targettest.Sim[*sim.NICs](d.Sims()).Flaps(n.Name), "PFC was written once")
				}
				measured := map[string]uint64{}
				for _, p := range mlx5.Target.Probes(source) {
					answer := []byte(root(t, d, p.Cmd, string(p.Stdin)))
					if p.Judge != nil {
						require.Empty(t, p.Judge(answer), p.Name)
					}
					if p.Samples != nil {
						for _, s := range p.Samples(answer) {
							measured[s.Name+" of "+s.On] = s.Value
						}
					}
				}
				require.EqualValues(t, 1, measured["link of ens1f0"])
				for _, c := range []string{"rx_prio3_cong_discard", "rx_prio0_pause", "np_cnp_sent", "out_of_sequence"} {
					require.Contains(t, measured, c+" of ens1f0")
				}

				before := len(d.Writes())
				root(t, d, "/usr/local/sbin/rocec-host apply ens1f0; /usr/local/sbin/rocec-host check ens1f0")
				require.Empty(t, d.Writes()[before:], "a second apply finds nothing to do")
			})
		}
	}
}
