// Package senders reads the senders of a host: for each, whether its packets are in the class of an intent. It also has the rows that the
// tables of several drivers share.
package senders

import "github.com/rocec/rocec/targets/target/sender"

// The parts of [sender.Marking] that several drivers share.
const (
	byProgram = "each program"
	byRocec   = "rocec"
	byPerson  = "the person, and each program"
	byPod     = "the pod"

	environment = "the environment of the program is not read"
)

// CMMarking is the row of RDMA-CM, for every driver.
var CMMarking = sender.Marking{
	Kind:    sender.CM,
	Setting: "`default_roce_tos` of the RDMA device in configfs; with PCP the map of the VLAN interface",
	By:      byRocec, Read: "`tos`, `vlan_map`",
	Unknown: "a type of service that a program states itself",
	Source:  "Linux, cma.c: `cma_resolve_iboe_route`",
}

// Judged returns a row for a driver whose settings a person sets: rocec reads no such host by login, so it reads nothing back.
func Judged(m sender.Marking) sender.Marking {
	m.Read, m.Pairs, m.Unknown = "", "", "the values: rocec does not log in for this driver"
	if m.By == byRocec {
		m.By = "the person"
	}
	return m
}

// VerbsMarking returns the row of programs without RDMA-CM, for a driver without a default for them. pairs names them where no other note
// of the family does.
func VerbsMarking(pairs, source string) sender.Marking {
	return sender.Marking{
		Kind: sender.Verbs,
		Setting: "`NCCL_IB_TC`, `UCX_IB_TRAFFIC_CLASS`, `NVSHMEM_IB_TRAFFIC_CLASS`, `--tclass` of perftest; with PCP `NCCL_IB_SL`, " +
			"`UCX_IB_SL`, `--sl`",
		By: byProgram, Unknown: environment, Pairs: pairs, Source: source,
	}
}

// GPUMarking returns the row of queue pairs that a GPU uses without the kernel.
func GPUMarking(setting, pairs, source string) sender.Marking {
	return sender.Marking{
		Kind: sender.GPU, Setting: setting, By: byProgram, Unknown: environment, Pairs: pairs, Source: source,
	}
}

// NoGPU returns the row of a driver for which no public program makes queue pairs on a GPU.
func NoGPU(source string) sender.Marking {
	return sender.Marking{
		Kind: sender.GPU, Setting: "no public program makes such queue pairs with this driver", Source: source,
	}
}

// VFMarking returns the row of virtual functions. defaults names the defaults of their RDMA devices.
func VFMarking(defaults, unknown, source string) sender.Marking {
	return sender.Marking{
		Kind:    sender.VF,
		Setting: defaults + " of the RDMA device of each virtual function",
		By:      byPerson, Read: "the same files, where the host shows the device",
		Unknown: unknown, Pairs: "those of virtual functions, which containers use", Source: source,
	}
}

// ContainerMarking is the row of containers, for every driver.
var ContainerMarking = sender.Marking{
	Kind:    sender.Container,
	Setting: "the same variables in the pod; with PCP the fields `vlan` and `vlanQoS` of the SR-IOV CNI plugin",
	By:      byPod, Read: "`netns_mode` of ib_core: whether containers share the devices of the host",
	Unknown: "the environment of the pod is not read",
	Source:  "Linux, core/device.c; k8snetworkplumbingwg: sriov-cni, rdma-cni",
}
