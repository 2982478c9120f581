package mlx5

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets. DevX makes queue pairs without the kernel, which applies
// traffic_class, so GPUs do not get it. A proposal for NVSHMEM reads traffic_class of sysfs (NVIDIA/nvshmem#25); no release is known to
// have it.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.CMMarking,
		{
			Kind:    sender.Verbs,
			Setting: "`traffic_class` of the RDMA device in sysfs, only with MLNX_OFED; it also overrides the marks of programs",
			By:      "rocec; with the kernel's own driver each program", Read: "`traffic_class`",
			Unknown: "without MLNX_OFED: the environment of the program is not read",
			Source:  "MLNX_OFED 24.07, mlx5 main_ext.c and qp.c",
		},
		senders.GPUMarking("`NCCL_GIN_IB_TC`, else `NCCL_IB_TC`; `NVSHMEM_IB_TRAFFIC_CLASS`; `ROCSHMEM_GDA_TRAFFIC_CLASS`",
			"queue pairs that a GPU creates (DevX: GDAKI of NCCL, IBGDA of NVSHMEM)",
			"NVIDIA/nccl#2383, NVIDIA/nvshmem#25, ROCm/rocSHMEM#358"),
		senders.VFMarking("`default_roce_tos`, `traffic_class`",
			"devices in a pod or a virtual machine; a folder of configfs that does not exist",
			"MLNX_OFED 24.07, mlx5 main_ext.c; Mellanox/network-operator#269"),
		senders.ContainerMarking,
	}
}
