package platform

// NICs is the table of NIC models, by family and age.
//
// Sources: "RHEL" is Red Hat's RoCE documentation, "rdma-core" the drivers' own sources and manuals, "vendor" the
// maker's product page or release notes.
var NICs = []*NIC{
	// ConnectX-3 speaks RoCEv1 only; its Pro variant speaks both. 56G is a Mellanox speed and left out.
	{
		Name: "connectx-3", Title: "Mellanox ConnectX-3", Family: MLX4, Speed: 40_000, Ports: 2, V1: true,
		Aliases: []string{"cx3"}, Source: "RHEL: rdma_cm defaults to v1",
	},
	{
		Name: "connectx-3-pro", Title: "Mellanox ConnectX-3 Pro", Family: MLX4, Speed: 40_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"cx3pro"}, Source: "RHEL: rdma_cm defaults to v2 since 7.5",
	},
	{
		Name: "connectx-4", Title: "Mellanox ConnectX-4", Family: MLX5, Speed: 100_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"cx4"}, Source: "RHEL; vendor: two ports of 100G",
	},
	{
		Name: "connectx-4-lx", Title: "Mellanox ConnectX-4 Lx", Family: MLX5, Speed: 50_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"cx4lx"}, Source: "RHEL; vendor: one port of 50G or two of 25G",
	},
	{
		Name: "connectx-5", Title: "NVIDIA ConnectX-5", Family: MLX5, Speed: 100_000, Ports: 2, V1: true, V2: true, Buffer: 262_016,
		Aliases: []string{"cx5", "connectx-5-ex"}, Source: "RHEL; vendor: two ports of 100G; buffer: total of dcb buffer show",
	},
	{
		Name: "connectx-6", Title: "NVIDIA ConnectX-6", Family: MLX5, Speed: 200_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"cx6"}, Source: "vendor: two ports of 200G",
	},
	{
		Name: "connectx-6-dx", Title: "NVIDIA ConnectX-6 Dx", Family: MLX5, Speed: 200_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"cx6dx"}, Source: "vendor: one port of 200G or two of 100G",
	},
	{
		Name: "connectx-6-lx", Title: "NVIDIA ConnectX-6 Lx", Family: MLX5, Speed: 50_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"cx6lx"}, Source: "vendor: one port of 50G or two of 25G",
	},
	{
		Name: "connectx-7", Title: "NVIDIA ConnectX-7", Family: MLX5, Speed: 400_000, Ports: 4, V1: true, V2: true,
		Aliases: []string{"cx7"}, Source: "vendor: one port of 400G to four of 100G",
	},
	{
		Name: "bluefield-2", Title: "NVIDIA BlueField-2", Family: MLX5, Speed: 200_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"bf2"}, Source: "vendor: one port of 200G or two of 100G",
	},
	{
		Name: "bluefield-3", Title: "NVIDIA BlueField-3", Family: MLX5, Speed: 400_000, Ports: 2, V1: true, V2: true,
		Aliases: []string{"bf3"}, Source: "vendor: one port of 400G or two of 200G",
	},

	// Broadcom's driver notes drop RoCEv1 from release 219 on.
	{
		Name: "bcm57414", Title: "Broadcom BCM57414", Family: BNXT, Speed: 25_000, Ports: 2, V2: true,
		Aliases: []string{"broadcom-57414", "p225p"}, Source: "vendor: two ports of 25G; v2 only since driver 219",
	},
	{
		Name: "bcm57416", Title: "Broadcom BCM57416", Family: BNXT, Speed: 10_000, Ports: 2, V2: true,
		Aliases: []string{"broadcom-57416"}, Source: "vendor: two ports of 10GBASE-T; v2 only since driver 219",
	},
	{
		Name: "bcm57454", Title: "Broadcom BCM57454", Family: BNXT, Speed: 100_000, Ports: 4, V2: true,
		Aliases: []string{"broadcom-57454"}, Source: "vendor: up to 100G; v2 only since driver 219",
	},
	{
		Name: "bcm57504", Title: "Broadcom BCM57504", Family: BNXT, Speed: 100_000, Ports: 4, V2: true,
		Aliases: []string{"broadcom-57504"}, Source: "vendor: one port of 100G to four of 25G; v2 only",
	},
	{
		Name: "bcm57508", Title: "Broadcom BCM57508", Family: BNXT, Speed: 200_000, Ports: 2, V2: true,
		Aliases: []string{"broadcom-57508"}, Source: "vendor: one port of 200G or two of 100G; v2 only",
	},
	{
		Name: "bcm57608", Title: "Broadcom BCM57608", Family: BNXT, Speed: 400_000, Ports: 2, V2: true,
		Aliases: []string{"broadcom-57608"}, Source: "vendor: one port of 400G or two of 200G; v2 only",
	},

	{
		Name: "e810", Title: "Intel E810", Family: ICE, Speed: 100_000, Ports: 2, V2: true,
		Aliases: []string{"intel-e810", "e810-c"}, Source: "vendor: two ports of 100G; RoCEv2 and iWARP",
	},
	{
		Name: "e810-xxv", Title: "Intel E810-XXV", Family: ICE, Speed: 25_000, Ports: 4, V2: true,
		Aliases: []string{"intel-e810-xxv"}, Source: "vendor: up to four ports of 25G; RoCEv2 and iWARP",
	},

	{
		Name: "fastlinq-41000", Title: "Marvell FastLinQ 41000", Family: QEDE, Speed: 25_000, Ports: 4, V1: true, V2: true,
		Aliases: []string{"ql41000", "marvell-fastlinq-41000", "qlogic-fastlinq-41000"},
		Source:  "vendor: 10G and 25G ports; rdma-core: qedr speaks both versions",
	},
	{
		Name: "fastlinq-45000", Title: "Marvell FastLinQ 45000", Family: QEDE, Speed: 100_000, Ports: 4, V1: true, V2: true,
		Aliases: []string{"ql45000", "marvell-fastlinq-45000", "qlogic-fastlinq-45000"},
		Source:  "vendor: up to 100G; rdma-core: qedr speaks both versions",
	},

	{
		Name: "soft-roce", Title: "Soft-RoCE", Family: SoftRoCE, Ports: 1, V2: true,
		Aliases: []string{"rxe", "rdma-rxe"}, Source: "rdma-core: RoCEv2 only, on any netdev, at its speed",
	},
}

// Families lists the NIC families, as nic_model blocks name them.
var Families = []Family{MLX5, MLX4, BNXT, ICE, QEDE, SoftRoCE}

// PFCLimit says how many lossless classes a port has, where that is fewer than there are priorities.
type PFCLimit struct {
	Classes int
	Usual   bool // what the firmware usually reports, not what a manual states
	Source  string
}

// pfcLimits is by family: the driver and its firmware set the limit, not the model.
var pfcLimits = map[Family]PFCLimit{
	ICE:      {Classes: 1, Source: "Intel's RDMA guide for the E810 (635330): one traffic class with PFC on each port"},
	BNXT:     {Classes: 1, Usual: true, Source: "Linux, bnxt_dcb.c: pfc_cap as the firmware reports it, most often 1"},
	SoftRoCE: {Classes: 0, Source: "rdma-core: rdma_rxe has no DCB of its own"},
}

// PFCLimit returns the limit of a NIC's lossless classes; false: as many as there are priorities, or not known.
func (n *NIC) PFCLimit() (PFCLimit, bool) {
	l, ok := pfcLimits[n.Family]
	return l, ok
}

// versionFacts says by family why a NIC speaks one RoCE version only.
var versionFacts = map[Family]string{
	BNXT:     "RoCEv1 is gone from the driver since release 219", // Broadcom's bnxt_re notes
	ICE:      "the driver irdma speaks RoCEv2 and iWARP",         // Intel's irdma notes
	SoftRoCE: "rdma_rxe sends UDP packets",                       // rdma-core
}

// VersionFact says why the NIC speaks one RoCE version only; empty where it speaks both, or nothing more is known.
func (n *NIC) VersionFact() string {
	if n.V1 && n.V2 {
		return ""
	}
	return versionFacts[n.Family]
}
