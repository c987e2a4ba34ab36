// Pinocchio on the work of `kernels steps` and `kernels precision`: forward dynamics and a semi-implicit Euler step, the
// derivatives of forward dynamics, and Dormand and Prince's error-controlled Runge-Kutta method on forward dynamics.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/multibody/joint/joints.hpp>

using namespace pinocchio;
using Clock = std::chrono::steady_clock;
using Eigen::VectorXd;

constexpr double step = 1e-3;
// Motions, steps before the timed ones, timed pieces of each motion and their steps.
constexpr int motions = 25, steps = 100, pieces = 4, piece_steps = 25;

double seconds(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Inertia rod(double mass, const Eigen::Vector3d& end) {
    const Eigen::Matrix3d moments =
        mass / 12 * (end.squaredNorm() * Eigen::Matrix3d::Identity() - end * end.transpose());
    return Inertia(mass, end / 2, moments);
}

Model chain(int n) {
    Model model;
    JointIndex parent = 0;
    for (int i = 0; i < n; ++i) {
        SE3 place = SE3::Identity();
        place.translation().x() = i > 0 ? 1.0 : 0.0;
        parent = model.addJoint(parent, JointModelRY(), place, "joint" + std::to_string(i));
        model.appendBodyToJoint(parent, rod(1.0, Eigen::Vector3d::UnitX()), SE3::Identity());
    }
    return model;
}

Model hexapod() {
    Model model;
    const JointIndex body = model.addJoint(0, JointModelFreeFlyer(), SE3::Identity(), "base");
    const Eigen::Vector3d square(0.5 * 0.5, 0.2 * 0.2, 0.13 * 0.13);
    const Eigen::Vector3d moments = 6.4 / 12 * (square.sum() * Eigen::Vector3d::Ones() - square);
    model.appendBodyToJoint(body, Inertia(6.4, Eigen::Vector3d::Zero(), moments.asDiagonal()), SE3::Identity());
    for (double x : {0.2, 0.0, -0.2})
        for (double y : {0.13, -0.13}) {
            SE3 place = SE3::Identity();
            place.translation() << x, y, 0.0;
            const JointIndex leg =
                model.addJoint(body, JointModelRY(), place, "hip" + std::to_string(model.njoints));
            model.appendBodyToJoint(leg, rod(0.1, -0.17 * Eigen::Vector3d::UnitZ()), SE3::Identity());
        }
    return model;
}

VectorXd spread_legs(const Model& robot) {
    VectorXd q = neutral(robot);
    for (int i = 0; i < 6; ++i) q[7 + i] = 0.1 * i;
    return q;
}

double median(std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void time_steps(const std::string& id, const Model& model, const VectorXd& start) {
    Data data(model);
    const VectorXd effort = VectorXd::Zero(model.nv);
    VectorXd q, v, next = start;
    auto advance = [&] {
        aba(model, data, q, v, effort, Convention::LOCAL);
        v += step * data.ddq;
        integrate(model, q, v * step, next);
        q.swap(next);
    };
    std::vector<double> times;
    for (int motion = 0; motion < motions; ++motion) {
        q = start;
        v = VectorXd::Zero(model.nv);
        for (int i = 0; i < steps; ++i) advance();
        for (int piece = 0; piece < pieces; ++piece) {
            const auto clock = Clock::now();
            for (int i = 0; i < piece_steps; ++i) advance();
            times.push_back(seconds(clock) / piece_steps * 1e6);
        }
    }
    std::printf("{\"id\": \"%s\", \"median_us\": %.4f}\n", id.c_str(), median(times));
}

void time_derivatives(const std::string& id, const Model& model, const VectorXd& q) {
    Data data(model);
    const VectorXd v = VectorXd::Constant(model.nv, 0.1), effort = VectorXd::Zero(model.nv);
    std::vector<double> times;
    for (int piece = 0; piece < motions * pieces; ++piece) {
        const auto clock = Clock::now();
        for (int i = 0; i < piece_steps; ++i) computeABADerivatives(model, data, q, v, effort);
        times.push_back(seconds(clock) / piece_steps * 1e6);
    }
    std::printf("{\"id\": \"%s\", \"median_us\": %.4f}\n", id.c_str(), median(times));
}

// Dormand and Prince's pair 5(4) with the last stage kept for the next step, on positions, quaternions and velocities as
// plain numbers.
class DormandPrince {
public:
    DormandPrince(const Model& model, double tolerance, const VectorXd& q, const VectorXd& v)
        : model(model), data(model), tolerance(tolerance), effort(VectorXd::Zero(model.nv)),
          state(model.nq + model.nv), trial(state), sum(state) {
        state << q, v;
        slopes.fill(state);
        rate(state, slopes[0]);
    }

    void advance_to(double end) {
        while (time < end) {
            const double h = std::min(size, end - time);
            for (int s = 1; s < 7; ++s) {
                sum.setZero();
                for (int j = 0; j < s; ++j) sum += weights[s - 1][j] * slopes[j];
                trial = state + h * sum;
                rate(trial, slopes[s]);
            }
            sum.setZero();
            for (int j = 0; j < 7; ++j) sum += differences[j] * slopes[j];
            const auto scale = 1.0 + state.array().abs().max(trial.array().abs());
            const double error = std::sqrt((h * sum.array() / (tolerance * scale)).square().mean());
            const double factor = std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0);
            if (error <= 1.0) {
                time = h == end - time ? end : time + h;
                state.swap(trial);
                slopes[0].swap(slopes[6]);
                if (h == size || factor < 1.0) size = h * factor;
            } else {
                size = h * factor;
            }
        }
    }

    double energy() {
        return computeMechanicalEnergy(model, data, configuration(), state.tail(model.nv));
    }

    VectorXd configuration() const {
        VectorXd q = state.head(model.nq);
        if (model.nq > model.nv) q.segment<4>(3).normalize();
        return q;
    }

    long evaluations = 0;

private:
    void rate(const VectorXd& x, VectorXd& slope) {
        position = x.head(model.nq);
        velocity = x.tail(model.nv);
        const int joints = model.nq > model.nv ? model.nv - 6 : model.nv;
        slope.segment(model.nq - joints, joints) = velocity.tail(joints);
        if (model.nq > model.nv) {
            const Eigen::Quaterniond turned(position.segment<4>(3));
            const Eigen::Vector3d linear = velocity.head<3>(), angular = velocity.segment<3>(3);
            slope.head<3>() = turned.normalized() * linear;
            slope.segment<4>(3) = 0.5 * (turned * Eigen::Quaterniond(0, angular.x(), angular.y(), angular.z())).coeffs();
        }
        slope.tail(model.nv) = aba(model, data, position, velocity, effort, Convention::LOCAL);
        ++evaluations;
    }

    static constexpr double weights[6][6] = {
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double differences[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    const Model& model;
    Data data;
    double tolerance, time = 0, size = 1e-3;
    VectorXd effort, state, trial, sum, position, velocity;
    std::array<VectorXd, 7> slopes;
};

// A motion as `kernels precision` describes it; false if there is none of that name.
bool precision(const std::string& motion, double offset, double tolerance) {
    const double duration = 100, sampling = 0.02, early = 2;
    Model model;
    VectorXd q, v;
    double unit = 0;
    if (motion == "chain") {
        model = chain(4);
        q = v = VectorXd::Zero(4);
        q[0] += offset;
        unit = 9.81;
    } else if (motion == "hexapod") {
        model = hexapod();
        model.gravity.setZero();
        q = spread_legs(model);
        q[7] += offset;
        v = VectorXd::Zero(12);
        v << 0, 0, 0, 1, 2, 3, 6, -8, 10, -7, 9, -5;
    } else {
        return false;
    }
    const std::clock_t clock = std::clock();
    DormandPrince free_run(model, tolerance, q, v);
    free_run.advance_to(duration);
    const double processor = double(std::clock() - clock) / CLOCKS_PER_SEC;

    DormandPrince run(model, tolerance, q, v);
    const double start = run.energy();
    if (unit == 0) unit = start;
    double largest = 0, late = 0;
    int count = 0;
    VectorXd configuration;
    for (int i = 1; i * sampling <= duration + 1e-9; ++i) {
        run.advance_to(i * sampling);
        const double error = (run.energy() - start) / unit;
        largest = std::max(largest, std::abs(error));
        if (i * sampling > 0.9 * duration) {
            late += error;
            ++count;
        }
        if (std::abs(i * sampling - early) < 1e-9) configuration = run.configuration();
    }
    std::printf("{\"processor_s\": %.4f, \"largest\": %e, \"late_mean\": %e, \"evaluations\": %ld, \"configuration\": [",
                processor, largest, late / count, free_run.evaluations);
    for (int i = 0; i < configuration.size(); ++i) std::printf(i ? ", %.17g" : "%.17g", configuration[i]);
    std::printf("]}\n");
    return true;
}

int main(int count, char** arguments) {
    const std::string task = count > 1 ? arguments[1] : "";
    if (task == "steps") {
        for (int n : {1, 4, 8, 16, 32, 64, 128})
            time_steps("step/chain/" + std::to_string(n), chain(n), VectorXd::Zero(n));
        const Model robot = hexapod();
        time_steps("step/hexapod/free", robot, spread_legs(robot));
        time_derivatives("derivatives/chain/8", chain(8), VectorXd::LinSpaced(8, 0.1, 0.8));
        return 0;
    }
    if (task == "precision" && count == 5)
        if (precision(arguments[2], std::atof(arguments[3]), std::atof(arguments[4]))) return 0;
    std::fprintf(stderr, "pinocchio steps | precision chain|hexapod OFFSET TOLERANCE\n");
    return 2;
}
