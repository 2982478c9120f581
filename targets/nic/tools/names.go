package tools

// Names are the base names by which captures and scripts of a host are found in a folder. Others are read where a person names them.
var Names = []string{"mlnx_qos.txt", "dcb.txt", "mlnx_qos.sh", "dcb.sh"}
