/*
 * A backend of torch.distributed for tensors on CPUs: a process group whose collectives are generated programs for the
 * host. sccl_torch.py compiles this file on demand.
 *
 * The programs are the shared objects of a folder, as `sccl-synth lower --target host` writes and a compiler makes them.
 * For each collective, root, type and operation that is called, a selector over all programs that fit is made, with the
 * choices that cost least; a larger call than any before makes it again. Calls are complete when they return, so their
 * work is too, also where the caller asked for an asynchronous one.
 *
 * Ranks meet through the store that torch.distributed gives every group.
 */

#include <torch/version.h>
#include <torch/extension.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <pybind11/chrono.h>

#include <sccl/program.h>
#include <sccl/sccl.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Tensors = std::vector<at::Tensor>;
using c10d::Work;
using WorkPointer = c10::intrusive_ptr<Work>;

/* Costs of the host by which programs are chosen: microseconds a step, and a byte over one unit of bandwidth. */
constexpr double ALPHA = 1, BETA = 1.0 / 5000;

void check(sccl_status_t status)
{
	TORCH_CHECK(status == SCCL_OK, "sccl: ", sccl_error_text());
}

/* A call that has returned. */
class Done : public Work {
public:
	explicit Done(Tensors result, c10d::OpType type) : Work(-1, type), tensors(std::move(result))
	{
		future_ = c10::make_intrusive<at::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
		future_->markCompleted(at::IValue(tensors));
		finish();
	}
	Tensors result() override
	{
		return tensors;
	}
	c10::intrusive_ptr<c10::ivalue::Future> getFuture() override
	{
		return future_;
	}

private:
	Tensors tensors;
	c10::intrusive_ptr<at::ivalue::Future> future_;
};

/* The two functions of a bootstrap over a store: a key for every rank of every exchange. */
struct Meeting {
	c10::intrusive_ptr<c10d::Store> store;
	int rank, size;
	uint64_t exchanges = 0;

	std::string key(int of) const
	{
		return "sccl/" + std::to_string(exchanges) + "/" + std::to_string(of);
	}
	int allgather(const void *mine, void *all, size_t bytes)
	{
		try {
			const auto *from = static_cast<const uint8_t *>(mine);
			store->set(key(rank), std::vector<uint8_t>(from, from + bytes));
			for (int r = 0; r < size; r++) {
				std::vector<uint8_t> theirs = store->get(key(r));
				if (theirs.size() != bytes)
					return -1;
				std::memcpy(static_cast<uint8_t *>(all) + r * bytes, theirs.data(), bytes);
			}
			exchanges++;
			return 0;
		} catch (const std::exception &) {
			return -1;
		}
	}
};

int meet(void *context, const void *mine, void *all, size_t bytes)
{
	return static_cast<Meeting *>(context)->allgather(mine, all, bytes);
}

int meet_before(void *context)
{
	auto *m = static_cast<Meeting *>(context);
	std::vector<uint8_t> all(m->size);
	return m->allgather("", all.data(), 1);
}

/* All programs of FOLDER, in the order of their files' names, so that all ranks choose alike. */
std::vector<const sccl_program_t *> load_programs(const std::string &folder)
{
	std::vector<std::filesystem::path> files;
	std::vector<const sccl_program_t *> programs;

	for (const auto &entry : std::filesystem::directory_iterator(folder))
		if (entry.is_regular_file() && entry.path().extension() == ".so")
			files.push_back(entry.path());
	std::sort(files.begin(), files.end());
	for (const auto &file : files) {
		void *library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
		const void *symbol = library ? dlsym(library, file.stem().c_str()) : nullptr;
		TORCH_CHECK(symbol, "sccl: ", file.string(), " is no program: ", dlerror());
		const auto *program = static_cast<const sccl_program_t *>(symbol);
		TORCH_CHECK(program->abi == SCCL_ABI, "sccl: ", file.string(), " was generated for abi ", program->abi, ", not ", SCCL_ABI);
		programs.push_back(program);
	}
	return programs;
}

sccl_dtype_t type_of(const at::Tensor &t, bool reduces)
{
	static const std::map<at::ScalarType, sccl_dtype_t> types = {
		{at::kFloat, SCCL_F32}, {at::kDouble, SCCL_F64}, {at::kHalf, SCCL_F16}, {at::kBFloat16, SCCL_BF16},
		{at::kInt, SCCL_I32}, {at::kLong, SCCL_I64}, {at::kByte, SCCL_U8}, {at::kChar, SCCL_I8},
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
		{at::kFloat8_e4m3fn, SCCL_F8E4M3}, {at::kFloat8_e5m2, SCCL_F8E5M2},
#endif
	};
	static const std::map<size_t, sccl_dtype_t> moved = {{1, SCCL_U8}, {2, SCCL_F16}, {4, SCCL_I32}, {8, SCCL_I64}};
	if (!reduces) { /* bytes are moved, whatever they mean */
		auto found = moved.find(t.element_size());
		TORCH_CHECK(found != moved.end(), "sccl: elements of ", t.element_size(), " bytes are not moved");
		return found->second;
	}
	auto found = types.find(t.scalar_type());
	TORCH_CHECK(found != types.end(), "sccl: ", t.scalar_type(), " is not reduced");
	return found->second;
}

sccl_op_t operation_of(const c10d::ReduceOp &op)
{
	switch (static_cast<c10d::ReduceOp::RedOpType>(op)) {
	case c10d::ReduceOp::SUM: return SCCL_SUM;
	case c10d::ReduceOp::PRODUCT: return SCCL_PROD;
	case c10d::ReduceOp::MIN: return SCCL_MIN;
	case c10d::ReduceOp::MAX: return SCCL_MAX;
	case c10d::ReduceOp::AVG: return SCCL_AVG;
	default: TORCH_CHECK(false, "sccl: sums, products, minima, maxima and averages are supported");
	}
}

void check_tensor(const at::Tensor &t)
{
	TORCH_CHECK(t.device().is_cpu(), "sccl: this backend is for tensors on CPUs");
	TORCH_CHECK(t.layout() == at::kStrided, "sccl: a tensor must be dense");
}

const at::Tensor &only(const Tensors &tensors)
{
	TORCH_CHECK(tensors.size() == 1, "sccl: a rank has one tensor");
	check_tensor(tensors[0]);
	return tensors[0];
}

class Group : public c10d::ProcessGroup {
public:
	Group(const c10::intrusive_ptr<c10d::Store> &store, int rank, int size, double timeout, const std::string &folder)
		: ProcessGroup(rank, size), meeting{store, rank, size}, programs(load_programs(folder))
	{
		const sccl_bootstrap_t bootstrap = {&meeting, meet, meet_before};
		sccl_comm_options_t options = {};
		options.target = "host";
		options.timeout = timeout;
		check(sccl_comm_create(&comm, static_cast<uint32_t>(rank), static_cast<uint32_t>(size), &bootstrap, &options));
	}
	~Group() override
	{
		for (auto &entry : selectors)
			sccl_selector_free(entry.second.selector);
		sccl_comm_free(comm);
	}
	const std::string getBackendName() const override
	{
		return "sccl";
	}

	WorkPointer allreduce(Tensors &tensors, const c10d::AllreduceOptions &o) override
	{
		const at::Tensor &t = only(tensors);
		at::Tensor x = t.contiguous();
		run("allreduce", -1, x, x, x.numel(), true, operation_of(o.reduceOp));
		return done(x.is_same(t) ? t : t.copy_(x), c10d::OpType::ALLREDUCE);
	}
	WorkPointer reduce(Tensors &tensors, const c10d::ReduceOptions &o) override
	{
		const at::Tensor &t = only(tensors);
		at::Tensor x = t.contiguous();
		at::Tensor out = rank_ == o.rootRank ? x : at::empty_like(x);
		run("reduce", o.rootRank, x, out, x.numel(), true, operation_of(o.reduceOp));
		return done(out.is_same(t) || rank_ != o.rootRank ? t : t.copy_(out), c10d::OpType::REDUCE);
	}
	WorkPointer broadcast(Tensors &tensors, const c10d::BroadcastOptions &o) override
	{
		const at::Tensor &t = only(tensors);
		at::Tensor x = t.contiguous();
		run("broadcast", o.rootRank, x, x, x.numel(), false, SCCL_SUM);
		return done(x.is_same(t) ? t : t.copy_(x), c10d::OpType::BROADCAST);
	}
	WorkPointer _allgather_base(at::Tensor &out, at::Tensor &in, const c10d::AllgatherOptions &) override
	{
		TORCH_CHECK(out.numel() == in.numel() * size_, "sccl: an allgather's output has as many elements as all inputs");
		at::Tensor y = same_type(out, in).contiguous();
		run("allgather", -1, in.contiguous(), y, in.numel(), false, SCCL_SUM);
		return done(y.is_same(out) ? out : out.copy_(y), c10d::OpType::_ALLGATHER_BASE);
	}
	WorkPointer allgather(std::vector<Tensors> &outs, Tensors &ins, const c10d::AllgatherOptions &) override
	{
		const at::Tensor &in = only(ins);
		TORCH_CHECK(outs.size() == 1 && outs[0].size() == static_cast<size_t>(size_), "sccl: an allgather has an output for each rank");
		at::Tensor all = at::empty({size_, in.numel()}, in.options());
		run("allgather", -1, in.contiguous(), all, in.numel(), false, SCCL_SUM);
		return spread(all, outs[0], c10d::OpType::ALLGATHER);
	}
	WorkPointer _reduce_scatter_base(at::Tensor &out, at::Tensor &in, const c10d::ReduceScatterOptions &o) override
	{
		TORCH_CHECK(in.numel() == out.numel() * size_, "sccl: a reducescatter's input has as many elements as all outputs");
		at::Tensor y = same_type(out, in).contiguous();
		run("reducescatter", -1, in.contiguous(), y, in.numel(), true, operation_of(o.reduceOp));
		return done(y.is_same(out) ? out : out.copy_(y), c10d::OpType::_REDUCE_SCATTER_BASE);
	}
	WorkPointer reduce_scatter(Tensors &outs, std::vector<Tensors> &ins, const c10d::ReduceScatterOptions &o) override
	{
		at::Tensor out = only(outs);
		TORCH_CHECK(ins.size() == 1, "sccl: a rank has one list of inputs");
		at::Tensor in = joined(ins[0], out.numel());
		return _reduce_scatter_base(out, in, o);
	}
	WorkPointer alltoall_base(at::Tensor &out, at::Tensor &in, std::vector<int64_t> &out_sizes, std::vector<int64_t> &in_sizes,
				  const c10d::AllToAllOptions &) override
	{
		auto equal = [](const std::vector<int64_t> &sizes) { return std::all_of(sizes.begin(), sizes.end(), [&](int64_t s) { return s == sizes[0]; }); };
		TORCH_CHECK(equal(out_sizes) && equal(in_sizes) && out.numel() == in.numel() && in.numel() % size_ == 0,
			    "sccl: an alltoall has parts of equal size");
		at::Tensor y = same_type(out, in).contiguous();
		run("alltoall", -1, in.contiguous(), y, in.numel(), false, SCCL_SUM);
		return done(y.is_same(out) ? out : out.copy_(y), c10d::OpType::ALLTOALL_BASE);
	}
	WorkPointer alltoall(Tensors &outs, Tensors &ins, const c10d::AllToAllOptions &) override
	{
		TORCH_CHECK(outs.size() == static_cast<size_t>(size_) && ins.size() == outs.size(), "sccl: an alltoall has a tensor for each rank");
		at::Tensor in = joined(ins, ins[0].numel()), all = at::empty({size_, ins[0].numel()}, ins[0].options());
		run("alltoall", -1, in, all, in.numel(), false, SCCL_SUM);
		return spread(all, outs, c10d::OpType::ALLTOALL);
	}
	WorkPointer barrier(const c10d::BarrierOptions &) override
	{
		std::lock_guard<std::mutex> guard(lock);
		TORCH_CHECK(meet_before(&meeting) == 0, "sccl: the ranks did not meet");
		return done(Tensors{}, c10d::OpType::BARRIER);
	}
	void setSequenceNumberForGroup() override
	{
	}
	uint64_t getSequenceNumberForGroup() override
	{
		return calls;
	}

private:
	struct Ready {
		sccl_selector_t *selector;
		uint64_t most; /* elements */
	};

	static WorkPointer done(const at::Tensor &t, c10d::OpType type)
	{
		return c10::make_intrusive<Done>(Tensors{t}, type);
	}
	static WorkPointer done(const Tensors &tensors, c10d::OpType type)
	{
		return c10::make_intrusive<Done>(tensors, type);
	}
	static const at::Tensor &same_type(const at::Tensor &out, const at::Tensor &in)
	{
		check_tensor(in);
		check_tensor(out);
		TORCH_CHECK(in.scalar_type() == out.scalar_type(), "sccl: input and output have one type");
		return out;
	}
	static at::Tensor joined(const Tensors &parts, int64_t each)
	{
		Tensors flat;
		for (const at::Tensor &t : parts) {
			check_tensor(t);
			TORCH_CHECK(t.numel() == each, "sccl: all parts have the same size");
			flat.push_back(t.reshape({-1}));
		}
		return at::cat(flat);
	}
	WorkPointer spread(const at::Tensor &all, Tensors &outs, c10d::OpType type) const
	{
		for (int r = 0; r < size_; r++) {
			check_tensor(outs[r]);
			TORCH_CHECK(outs[r].numel() == all.size(1), "sccl: all parts have the same size");
			outs[r].copy_(all[r].view(outs[r].sizes()));
		}
		return done(outs, type);
	}

	/* The selector for calls of COUNT elements; all ranks make the same calls, so they make it together. */
	sccl_selector_t *ready(const char *collective, int root, sccl_dtype_t type, sccl_op_t op, uint64_t count)
	{
		Ready &r = selectors[{collective, root, type, op}];
		if (r.selector && count <= r.most)
			return r.selector;
		std::vector<const sccl_program_t *> fitting;
		for (const sccl_program_t *p : programs)
			if (p->ranks == static_cast<uint32_t>(size_) && p->kernels[type][op])
				fitting.push_back(p);
		sccl_choice_t *choices = nullptr;
		size_t n = 0;
		check(sccl_choices_cost(&choices, &n, fitting.data(), fitting.size(), collective, root, ALPHA, BETA));
		if (n == 0) {
			sccl_choices_free(choices);
			TORCH_CHECK(false, "sccl: there is no program for ", collective, root < 0 ? "" : " from or to rank " + std::to_string(root),
				    " of ", size_, " ranks with this type and operation");
		}
		sccl_selector_free(r.selector);
		r = {nullptr, std::max<uint64_t>(count, 1024)};
		sccl_status_t status = sccl_selector_create(&r.selector, comm, choices, n, type, op, r.most, nullptr);
		sccl_choices_free(choices);
		check(status);
		return r.selector;
	}
	void run(const char *collective, int root, const at::Tensor &in, const at::Tensor &out, int64_t count, bool reduces, sccl_op_t op)
	{
		std::lock_guard<std::mutex> guard(lock);
		calls++;
		if (count > 0)
			check(sccl_selector_run(ready(collective, root, type_of(in, reduces), op, static_cast<uint64_t>(count)), in.data_ptr(), out.data_ptr(),
						static_cast<uint64_t>(count), nullptr));
	}

	Meeting meeting;
	std::vector<const sccl_program_t *> programs;
	sccl_comm_t *comm = nullptr;
	std::map<std::tuple<std::string, int, sccl_dtype_t, sccl_op_t>, Ready> selectors;
	std::mutex lock;
	uint64_t calls = 0;
};

c10::intrusive_ptr<c10d::ProcessGroup> create(const c10::intrusive_ptr<c10d::Store> &store, int rank, int size,
					      const std::chrono::duration<float> &timeout, const std::string &folder)
{
	return c10::make_intrusive<Group>(store, rank, size, static_cast<double>(timeout.count()), folder);
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
	m.def("create", &create, pybind11::arg("store"), pybind11::arg("rank"), pybind11::arg("size"), pybind11::arg("timeout"),
	      pybind11::arg("folder"), pybind11::call_guard<pybind11::gil_scoped_release>());
}
