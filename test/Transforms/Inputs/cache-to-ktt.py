"""A Kernel Tuner cache as KTT results on the standard output."""

import json
import sys

cache = json.load(open(sys.argv[1]))
results = []
for entry in cache["cache"].values():
    ran = isinstance(entry["time"], float)
    result = {"KernelName": "k", "Status": "Ok" if ran else "ComputationFailed",
              "Configuration": [{"Name": key, "Value": entry[key]} for key in cache["tune_params_keys"]]}
    if ran:
        result["TotalDuration"] = entry["time"]
    results.append(result)
json.dump({"Metadata": {"Device": "GPU", "TimeUnit": "Milliseconds"}, "Results": results}, sys.stdout)
